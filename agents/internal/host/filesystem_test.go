package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// hanging makes the mount below /mnt hang in statfs until release is closed.
func hanging(f *filesystems) (release chan struct{}, calls chan string) {
	release, calls = make(chan struct{}), make(chan string, 100)
	f.statfs = func(path string) usage {
		if strings.Contains(path, "/mnt/") {
			calls <- path
			<-release
		}
		return usage{size: 7}
	}
	return release, calls
}

func TestAHungMountHoldsUpOnePassOnly(t *testing.T) {
	f := newFilesystems(filepath.Join("testdata", "tree"))
	f.patience = 20 * time.Millisecond
	release, calls := hanging(f)
	const hung = `node_filesystem_device_error{device="/dev/nvme0n1p1",mountpoint="/mnt/backup",fstype="ext4",device_error="mountpoint timeout"} 1`
	const fine = `node_filesystem_size_bytes{device="/dev/mapper/vg-root",mountpoint="/",fstype="ext4"} 7`
	for pass := range 3 {
		lines := collect(t, f)
		if !slices.Contains(lines, hung) || !slices.Contains(lines, fine) {
			t.Fatalf("pass %d gives:\n%s", pass, strings.Join(lines, "\n"))
		}
		f.patience = time.Hour // a later pass does not wait for what is known to hang
	}
	if len(calls) != 1 {
		t.Errorf("the hung mount was asked %d times, want once", len(calls))
	}

	close(release)
	fs := f.known[mount{device: "/dev/nvme0n1p1", point: "/mnt/backup", kind: "ext4", path: "/mnt/backup"}]
	fs.answer <- <-fs.answer // the pending call has come back
	lines := collect(t, f)
	if slices.Contains(lines, hung) {
		t.Errorf("the mount answers again and is still reported as hung:\n%s", strings.Join(lines, "\n"))
	}
}

func TestMountsThatGoAreForgotten(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "proc", "self"), 0o750); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(root, "proc", "self", "mountinfo") // where /proc/1 is hidden
	both := "1 1 8:0 / / rw - ext4 /dev/sda rw\n2 1 8:1 / /data rw - xfs /dev/sdb rw\n"
	f := newFilesystems(root)
	for _, want := range []struct {
		table string
		known int
	}{{both, 2}, {both[:strings.IndexByte(both, '\n')+1], 1}} {
		if err := os.WriteFile(table, []byte(want.table), 0o600); err != nil {
			t.Fatal(err)
		}
		collect(t, f)
		if len(f.known) != want.known {
			t.Errorf("%d filesystems are known, want %d", len(f.known), want.known)
		}
	}
}

func TestMountNamesThatAreNoText(t *testing.T) {
	mounts := parseMounts([]byte("1 1 8:0 / /a\\134b\\040\xff rw,ro - ext4 /dev/\\011x\\9 rw\n"))
	want := []mount{{device: "/dev/\tx\\9", point: "/a\\b \uFFFD", path: "/a\\b \xff", kind: "ext4", readonly: true}}
	if !slices.Equal(mounts, want) {
		t.Errorf("parseMounts = %+v, want %+v", mounts, want)
	}
}

func FuzzParseMounts(f *testing.F) {
	f.Add([]byte("1 1 8:0 / /a\\134b rw shared:1 - ext4 /dev/sda rw\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, m := range parseMounts(content) {
			if m.path == "" || m.kind == "" {
				t.Errorf("%q gives a mount without a name: %+v", content, m)
			}
		}
	})
}
