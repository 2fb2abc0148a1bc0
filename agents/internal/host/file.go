package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// maxFile bounds what one file may hold; the largest seen, /proc/1/mountinfo of
// a container host, stays under 2 MB.
const maxFile = 16 << 20

var errTooLarge = errors.New("the file is larger than 16 MB")

// file is read again and again into one buffer.
type file struct {
	path string
	buf  []byte
}

// read returns the whole content, valid until the next call.
func (f *file) read() (content []byte, err error) {
	src, err := os.Open(f.path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if f.buf == nil {
		f.buf = make([]byte, 4096)
	}
	for n := 0; ; {
		if n == len(f.buf) {
			if n >= maxFile {
				return nil, fmt.Errorf("read %s: %w", f.path, errTooLarge)
			}
			f.buf = append(f.buf, make([]byte, n)...)
		}
		got, err := src.Read(f.buf[n:])
		n += got
		if errors.Is(err, io.EOF) {
			return f.buf[:n], nil
		}
		if err != nil {
			return nil, fmt.Errorf("read: %w", err)
		}
	}
}

// cutLine takes the first line off content.
func cutLine(content []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(content, []byte{'\n'})
	return line, rest
}

// appendFields adds the words of line to fields, without copying them.
func appendFields(fields [][]byte, line []byte) [][]byte {
	for {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 {
			return fields
		}
		end := bytes.IndexAny(line, " \t")
		if end < 0 {
			return append(fields, line)
		}
		fields = append(fields, line[:end])
		line = line[end:]
	}
}

// number reads a decimal number; a word that is none gives 0 and false.
func number(word []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(word), 64)
	return f, err == nil
}
