package redact

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain words stay", "Server shutdown in progress", "Server shutdown in progress"},
		{"quoted string", "Unknown column 'card' in order by", "Unknown column '?' in order by"},
		{"unescaped quotes of a syntax error", "near 'WHERE name='secret' AND x=\"y\"' at line 1", "near '?' at line ?"},
		{"apostrophe inside a value", "Duplicate entry 'O'Brien' for key 'PRIMARY'", "Duplicate entry '?'"},
		{"contraction is no quotation mark", "Table 'shop.orders' doesn't exist", "Table '?' doesn't exist"},
		{"contraction before the value", "Can't find file: 'a' (errno: 2)", "Can't find file: '?' (errno: ?)"},
		{"closing quote is missing", "near 'secret", "near '?'"},
		{"empty value", "Incorrect value ''", "Incorrect value ''"},
		{"numbers", "value 4111111111111111 at row -1.5e-3, 0xCAFE, 10.11.6-MariaDB", "value ? at row -?, ?, ?-MariaDB"},
		{"names with digits stay", "utf8mb4 in t1 of `db2`", "utf8mb4 in t1 of `db2`"},
		{"hexadecimal string", "near X'53454352'", "near X'?'"},
		{"hexadecimal word", "key deadbeefdeadbeef00", "key ?"},
		{"blob", "value \xff\x00\xfe end", "value ? end"},
		{"digits of other scripts", "row ٣٤", "row ?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTextMasksTheTailOfACutMessage(t *testing.T) {
	cut := "near 'a = 'x' AND b = 'secret" + strings.Repeat(" z", 250)
	if got := Text(cut); got != "near '?'" {
		t.Errorf("Text = %q, want the rest of a cut message masked", got)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"near 'a='b' at line 1", "5n't", "n''t", "x'n't 0x1e+5", "\xff''", "don't 'a", "1.a'", "''",
		strings.Repeat("'a' ", 130), "value 12345 'O'Brien'", "e-1 5e-", "\u0301'",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Fatalf("not idempotent: %q -> %q -> %q", s, once, twice)
		}
		if !utf8.ValidString(once) {
			t.Fatalf("%q -> %q holds bytes that are no text", s, once)
		}
		// A value planted in the ways the servers print one must not come out.
		const planted = "zqPlantedqz"
		for _, form := range []string{"a '" + planted + "' ", "a \"" + planted + "\"", "near '" + s + "'" + planted + "' at", "9" + planted} {
			if strings.Contains(Text(form), planted) {
				t.Fatalf("planted literal left: %q -> %q", form, Text(form))
			}
		}
		if strings.Contains(Text("'"+s+planted+"'"), planted) {
			t.Fatalf("planted literal left: %q", Text("'"+s+planted+"'"))
		}
	})
}
