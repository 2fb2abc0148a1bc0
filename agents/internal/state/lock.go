package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrRunning is returned by Lock when another process holds the directory.
var ErrRunning = errors.New("another leadline-agent is running from this state directory")

const (
	lockName = "lock"
	// Running holds the lock for an instant; Lock waits that long before it
	// believes that an agent runs.
	lockPatience = 500 * time.Millisecond
	lockRetry    = 20 * time.Millisecond
)

// Lock takes the directory for one running agent, until release is called or
// the process ends. The error wraps ErrRunning when another agent has it.
func (d *Dir) Lock(ctx context.Context) (release func() error, err error) {
	file, err := d.openLock()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = file.Close()
			return nil, fmt.Errorf("%s cannot be locked: %w", file.Name(), err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("%w (%s): stop it first, or name another one with --state-dir", ErrRunning, d.path)
		case <-time.After(lockRetry):
		}
	}
}

// Running tells whether an agent holds the directory.
func (d *Dir) Running() (bool, error) {
	file, err := d.openLock()
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // closing gives the lock back, there is nothing to save
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s cannot be locked: %w", file.Name(), err)
	}
	return false, nil
}

func (d *Dir) openLock() (*os.File, error) {
	path := d.Path(lockName)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode) //nolint:gosec // a path in our own directory
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", path, err)
	}
	if d.reassign {
		if err := file.Chown(d.owner, d.group); err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("%s cannot be given to the directory's owner: %w", path, err)
		}
	}
	return file, nil
}
