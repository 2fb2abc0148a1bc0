package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// write replaces a file so that a crash at any moment leaves the old content
// or the new one: temporary file, fsync, rename, fsync of the folder.
func (d *Dir) write(path string, data []byte) error {
	err := d.replace(path, data, true)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}

// replace is write without its sentence. A file that only reports (durable
// false) is not worth two disk flushes every few seconds.
func (d *Dir) replace(path string, data []byte, durable bool) (err error) {
	temporary := path + ".tmp"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err //nolint:wrapcheck // write names the file
	}
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode) //nolint:gosec // a path in our own directory
	if err != nil {
		return err //nolint:wrapcheck // write names the file
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary)
		}
	}()
	_, err = file.Write(data)
	if err == nil && d.reassign {
		err = file.Chown(d.owner, d.group)
	}
	if err == nil && durable {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err == nil && durable {
		err = syncFolder(filepath.Dir(path))
	}
	return err
}

func (d *Dir) writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return d.write(path, append(data, '\n'))
}

// readJSON reads a file into value. The error wraps fs.ErrNotExist when there
// is no such file.
func (d *Dir) readJSON(path string, value any) error {
	data, err := os.ReadFile(path) //nolint:gosec // a path in our own directory
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be read by this user: run as the user that runs the agent, or as root", path)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

func (d *Dir) remove(path string) error {
	err := os.Remove(path)
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s cannot be removed: %w", path, err)
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // a path in our own directory
	if err != nil {
		return err //nolint:wrapcheck // the callers name the file
	}
	err = folder.Sync()
	if closing := folder.Close(); err == nil {
		err = closing
	}
	return err
}
