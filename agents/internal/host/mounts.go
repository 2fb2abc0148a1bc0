package host

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// mount is one line of mountinfo that holds data.
type mount struct {
	device, point, kind string // as labels
	path                string // the mount point's bytes as they are
	readonly            bool
}

// mountTable reads mountinfo and keeps the result while the file is the same.
type mountTable struct {
	first, own file
	last       []byte
	mounts     []mount
}

func newMountTable(root string) mountTable {
	return mountTable{
		first: file{path: in(root, "proc/1/mountinfo")},
		own:   file{path: in(root, "proc/self/mountinfo")},
	}
}

func (t *mountTable) read() ([]mount, error) {
	content, err := t.first.read()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		content, err = t.own.read()
	}
	if err != nil {
		return nil, err
	}
	if t.mounts == nil || !bytes.Equal(content, t.last) {
		t.last = append(t.last[:0], content...)
		t.mounts = parseMounts(content)
	}
	return t.mounts, nil
}

// parseMounts keeps what is not excluded. Where two filesystems are mounted
// over each other the later one is what statfs sees, so it alone is kept.
func parseMounts(content []byte) []mount {
	mounts := []mount{}
	var fields [][]byte
	for len(content) > 0 {
		var line []byte
		line, content = cutLine(content)
		fields = appendFields(fields[:0], line)
		m, ok := parseMount(fields)
		if !ok {
			continue
		}
		mounts = slices.DeleteFunc(mounts, func(below mount) bool { return below.path == m.path })
		if !mountExcluded.MatchString(m.path) && !kindExcluded.MatchString(m.kind) {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// parseMount reads "id parent major:minor root point options [tag…] - kind source superoptions".
func parseMount(fields [][]byte) (mount, bool) {
	const point, options, firstTag = 4, 5, 6
	dash := slices.IndexFunc(fields, func(f []byte) bool { return string(f) == "-" })
	if dash < firstTag || len(fields) < dash+4 {
		return mount{}, false
	}
	path := unescape(string(fields[point]))
	return mount{
		device:   validLabel(unescape(string(fields[dash+2]))),
		point:    validLabel(path),
		kind:     validLabel(unescape(string(fields[dash+1]))),
		path:     path,
		readonly: hasOption(fields[options], "ro") || hasOption(fields[dash+3], "ro"),
	}, true
}

func hasOption(options []byte, want string) bool {
	for option := range bytes.SplitSeq(options, []byte(",")) {
		if string(option) == want {
			return true
		}
	}
	return false
}

// unescape undoes the kernel's \040 for a space and the like.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if code, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// validLabel makes a text fit for a label's value.
func validLabel(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
