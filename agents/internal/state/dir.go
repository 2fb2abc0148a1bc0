// Package state keeps what must survive a restart of the agent: who it is,
// what it watches, which process spoke for it last. Every file is 0600 and is
// replaced as a whole, so that a crash leaves the old one or the new one.
package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// ErrMissing is returned by Open when there is no such directory.
var ErrMissing = errors.New("the state directory does not exist")

// Dir is one agent's state directory.
type Dir struct {
	path     string
	owner    int // files written by root belong to the directory's owner, so that the running agent can read them
	group    int
	reassign bool
}

// Open opens an existing state directory. The error wraps ErrMissing when
// there is none; every error is a sentence.
func Open(path string) (*Dir, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %s", ErrMissing, path)
	case errors.Is(err, fs.ErrPermission):
		return nil, permission(path)
	case err != nil:
		return nil, fmt.Errorf("the state directory %s cannot be opened: %w", path, err)
	case !info.IsDir():
		return nil, fmt.Errorf("the state directory %s is a file", path)
	}
	if info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("the state directory %s can be written by every user of this machine: choose another one, or run chmod 700 %s", path, path)
	}
	d := &Dir{path: path}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		d.owner, d.group = int(stat.Uid), int(stat.Gid)
		d.reassign = os.Geteuid() == 0 && d.owner != 0
	}
	if _, err := os.ReadDir(path); errors.Is(err, fs.ErrPermission) {
		return nil, permission(path)
	}
	return d, nil
}

// Create opens the state directory and makes it, 0700, if there is none.
func Create(path string) (*Dir, error) {
	err := os.MkdirAll(path, dirMode)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the state directory %s cannot be created by this user: run as root, or name another one with --state-dir", path)
	case err != nil:
		return nil, fmt.Errorf("the state directory %s cannot be created: %w", path, err)
	}
	return Open(path)
}

// Foreign tells that the directory belongs to another user than this one,
// which is root. An agent run by root would leave files there that its owner
// cannot read.
func (d *Dir) Foreign() bool { return d.reassign }

// Path gives the path of a file or folder in the directory.
func (d *Dir) Path(name ...string) string {
	return filepath.Join(append([]string{d.path}, name...)...)
}

// Folder makes a folder in the directory and gives its path.
func (d *Dir) Folder(name string) (string, error) {
	path := d.Path(name)
	err := os.Mkdir(path, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return path, nil
	}
	if err == nil && d.reassign {
		err = os.Lchown(path, d.owner, d.group)
	}
	if err != nil {
		return path, fmt.Errorf("the folder %s cannot be created: %w", path, err)
	}
	return path, nil
}

func permission(path string) error {
	return fmt.Errorf("the state directory %s cannot be read by this user: run as the user that runs the agent, or as root", path)
}
