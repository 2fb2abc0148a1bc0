package spool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	folderMode  = 0o700
	segmentMode = 0o600
)

// writer is the one goroutine that changes the folder. A disk that hangs holds
// up this goroutine and nobody else.
type writer struct {
	mu       sync.Mutex
	queue    []func()
	wake     chan struct{}
	stopping bool
	done     chan struct{}
}

func newWriter() *writer {
	return &writer{wake: make(chan struct{}, 1), done: make(chan struct{})}
}

func (w *writer) enqueue(operation func()) {
	w.mu.Lock()
	w.queue = append(w.queue, operation)
	w.mu.Unlock()
	w.nudge()
}

func (w *writer) nudge() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *writer) run() {
	defer close(w.done)
	for {
		w.mu.Lock()
		queue, stopping := w.queue, w.stopping
		w.queue = nil
		w.mu.Unlock()
		for _, operation := range queue {
			operation()
		}
		if len(queue) > 0 {
			continue
		}
		if stopping {
			return
		}
		<-w.wake
	}
}

// stop lets the writer finish its queue, for the given time at most.
func (w *writer) stop(patience time.Duration) {
	w.mu.Lock()
	w.stopping = true
	w.mu.Unlock()
	w.nudge()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C:
	}
}

// readFolder fills the index from the names of the files found. Other files
// are left alone.
func (s *Spool) readFolder() {
	files, err := os.ReadDir(s.options.Dir)
	if err != nil {
		s.problem = diskProblem(err)
		return
	}
	for _, file := range files {
		e, ok := parseName(file.Name())
		if !ok {
			continue
		}
		info, err := file.Info()
		if err != nil {
			continue // removed while we read
		}
		e.size, e.path = occupied(info.Size()), filepath.Join(s.options.Dir, file.Name())
		s.entries = append(s.entries, e)
		s.diskBytes += e.size
		s.nextSeq = max(s.nextSeq, e.seq+1)
	}
	slices.SortFunc(s.entries, func(a, b *entry) int { return cmp.Compare(a.seq, b.seq) })
}

// enqueueWrite hands a segment to the writer and gives a channel that is
// closed when the disk has taken or refused it.
func (s *Spool) enqueueWrite(e *entry) <-chan struct{} {
	written := make(chan struct{})
	e.writing = true
	s.writer.enqueue(func() {
		defer close(written)
		s.write(e)
	})
	return written
}

func (s *Spool) enqueueRemoval(path string) {
	s.writer.enqueue(func() { removeSegment(path) })
}

// write runs in the writer's goroutine.
func (s *Spool) write(e *entry) {
	s.mu.Lock()
	payload := e.payload
	s.mu.Unlock()
	if payload == nil {
		return // dropped before its turn came
	}
	path := filepath.Join(s.options.Dir, e.fileName())
	content := frame(payload)
	err := writeSegment(path, content)

	s.mu.Lock()
	defer s.mu.Unlock()
	e.writing = false
	if err != nil {
		s.problem = diskProblem(err)
		return
	}
	s.problem = ""
	if e.gone {
		s.enqueueRemoval(path)
		return
	}
	e.path, e.size, e.payload = path, occupied(int64(len(content))), nil
	s.diskBytes += e.size
	s.memoryBytes -= int64(len(payload))
	s.boundDisk()
	s.rescue()
}

// rescue writes what was kept in memory while the disk refused.
func (s *Spool) rescue() {
	for _, e := range s.entries {
		if e.payload != nil && !e.writing {
			s.enqueueWrite(e)
		}
	}
}

// writeSegment writes a whole segment or leaves nothing. It does not flush to
// the disk: the page cache outlives the agent, and after a crash of the host
// the last seconds of a live agent have long been sent.
func writeSegment(path string, content []byte) error {
	err := os.WriteFile(path, content, segmentMode)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), folderMode); err == nil {
			err = os.WriteFile(path, content, segmentMode)
		}
	}
	if err != nil {
		removeSegment(path)
		return fmt.Errorf("the segment cannot be written: %w", err)
	}
	return nil
}

// removeSegment removes a file. One that cannot be removed is sent once more
// by the next process, which is free.
func removeSegment(path string) { _ = os.Remove(path) }

// readSegment gives the payload of a segment file.
func readSegment(path string) ([]byte, error) {
	data, err := os.ReadFile(path) //nolint:gosec // a path in the spool's own folder
	if err != nil {
		return nil, fmt.Errorf("the segment cannot be read: %w", err)
	}
	return unframe(data)
}

func diskProblem(err error) string {
	reason := "the disk answered: " + err.Error()
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		reason = "the disk is full"
	case errors.Is(err, syscall.EROFS):
		reason = "the filesystem is read-only"
	case errors.Is(err, fs.ErrPermission):
		reason = "this user may not write there"
	}
	return "The spool folder cannot be used (" + reason + "): samples are kept in memory only."
}
