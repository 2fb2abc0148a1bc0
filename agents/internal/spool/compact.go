package spool

import (
	"path/filepath"
	"slices"
	"time"
)

const (
	// What has waited this long is an outage, not a hiccup.
	compactAfter = 2 * time.Minute
	// Joined passes repeat their labels and shrink to about a third. So many go
	// into one segment; the bound keeps the memory small that it takes.
	compactSegments = 16
	compactBytes    = 256 << 10
)

// compactSome joins the oldest segments of a long backlog into one, so that a
// day fits into the folder. It runs when there are enough of them and leaves
// the work to the writer.
func (s *Spool) compactSome() {
	if s.compacting {
		return
	}
	chosen := s.compactable()
	if len(chosen) < 2 {
		return
	}
	s.compacting = true
	for _, e := range chosen {
		e.inFlight = true
	}
	s.writer.enqueue(func() { s.compact(chosen) })
}

// compactable gives the oldest segments that make a full joined one, or nil.
func (s *Spool) compactable() []*entry {
	if len(s.entries) < compactSegments {
		return nil
	}
	before := s.entries[len(s.entries)-1].stampMS - compactAfter.Milliseconds()
	var chosen []*entry
	var bytes int64
	for _, e := range s.entries {
		if e.stampMS > before {
			return nil
		}
		if e.path == "" || !e.ready || e.inFlight || e.acknowledged || e.alone || e.whole {
			continue
		}
		chosen = append(chosen, e)
		bytes += e.size
		if len(chosen) == compactSegments || bytes > compactBytes {
			return chosen
		}
	}
	return nil
}

// compact runs in the writer's goroutine. The joined segment is on disk before
// its parts are removed: a crash between sends them twice, which is free.
func (s *Spool) compact(chosen []*entry) {
	var payloads [][]byte
	joined := &entry{lane: Backlog, ready: true, whole: true}
	var damaged, parts []*entry
	for _, e := range chosen {
		payload, err := readSegment(e.path)
		if err != nil {
			damaged = append(damaged, e)
			continue
		}
		payloads, parts = append(payloads, payload), append(parts, e)
		joined.samples += e.samples
		joined.passes += e.passes
	}
	merged, mergeErr := s.merger.merge(payloads)
	err := mergeErr
	var content []byte
	if err == nil && len(parts) > 1 {
		joined.seq, joined.stampMS = parts[0].seq, parts[0].stampMS
		joined.path = filepath.Join(s.options.Dir, joined.fileName())
		content = frame(merged)
		joined.size = occupied(int64(len(content)))
		err = writeSegment(joined.path, content)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacting = false
	for _, e := range damaged {
		s.drop(e)
	}
	for _, e := range parts {
		e.inFlight = false
		e.whole = err != nil // not tried again
		e.alone = mergeErr != nil
	}
	s.signal(Backlog)
	if content == nil || err != nil {
		return
	}
	s.replace(parts, joined)
}

// replace puts a joined segment in the place of its parts.
func (s *Spool) replace(parts []*entry, joined *entry) {
	at := slices.Index(s.entries, parts[0])
	s.entries[at] = joined
	s.diskBytes += joined.size
	s.discard(parts[0])
	rest := map[*entry]bool{}
	for _, e := range parts[1:] {
		rest[e] = true
		s.discard(e)
	}
	s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool { return rest[e] })
}
