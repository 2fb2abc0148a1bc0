// Package redact holds the one function that every string from a database
// passes before it leaves the host.
package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mask = '?'
	// MySQL and MariaDB cut a message at 512 bytes: in a text of this length the
	// closing quote may be missing.
	maybeCut = 480
	// A word of this many hexadecimal digits is a value, not a name.
	hexWord = 16
)

// Text returns s with every literal masked by "?": numbers, hexadecimal words,
// bytes that are no text, and all from the first quotation mark to the last.
//
// The servers print the user's text between quotation marks without escaping
// it ("near 'WHERE name='x' AND'", "Duplicate entry 'O'Brien'"), so the marks
// cannot be paired up safely; what stands between two quoted parts goes with
// them. Names in backticks and plain words stay. Text(Text(s)) == Text(s).
func Text(s string) string {
	return quoted(values(s), len(s) >= maybeCut)
}

// values masks numbers, hexadecimal words and bytes that are no text.
func values(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case wordRune(r, size):
			end := wordEnd(s, i)
			if unicode.IsNumber(r) || isHexWord(s[i:end]) {
				out.WriteByte(mask)
				i = numberEnd(s, end)
				continue
			}
			out.WriteString(s[i:end])
			i = end
		case noText(r, size):
			out.WriteByte(mask)
			for i < len(s) && noText(r, size) {
				i += size
				r, size = utf8.DecodeRuneInString(s[i:])
			}
		default:
			out.WriteString(s[i : i+size])
			i += size
		}
	}
	return out.String()
}

// quoted masks from the first quotation mark to the last, or to the end where
// the closing one is missing.
func quoted(s string, cut bool) string {
	first, last, count := -1, -1, 0
	for i := range len(s) {
		if (s[i] != '\'' && s[i] != '"') || contraction(s, i) {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		count++
	}
	switch {
	case first < 0:
		return s
	case cut || count%2 == 1:
		return s[:first] + "'?'"
	case last == first+1:
		return s
	}
	return s[:first] + "'?'" + s[last+1:]
}

// contraction tells the apostrophe of "doesn't exist" from a quotation mark.
func contraction(s string, i int) bool {
	if i == 0 || s[i] != '\'' || s[i-1] != 'n' || !strings.HasPrefix(s[i+1:], "t") {
		return false
	}
	r, size := utf8.DecodeRuneInString(s[i+2:])
	return !wordRune(r, size)
}

// wordEnd is the end of the word that begins at i.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r, size) {
			break
		}
		i += size
	}
	return i
}

// numberEnd takes in what follows a number's first word: fractions, versions,
// and a sign after an exponent ("1.5e-3", "10.11.6").
func numberEnd(s string, end int) int {
	for end+1 < len(s) {
		sign := (s[end] == '-' || s[end] == '+') && (s[end-1] == 'e' || s[end-1] == 'E')
		if s[end] != '.' && !sign {
			break
		}
		next := wordEnd(s, end+1)
		if next == end+1 {
			break
		}
		end = next
	}
	return end
}

func isHexWord(word string) bool {
	if len(word) < hexWord {
		return false
	}
	for i := range len(word) {
		c := word[i] | 0x20
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func wordRune(r rune, size int) bool {
	if r == utf8.RuneError && size <= 1 {
		return false
	}
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func noText(r rune, size int) bool {
	if size == 0 || r == '\n' || r == '\t' {
		return false
	}
	return (r == utf8.RuneError && size == 1) || unicode.IsControl(r)
}
