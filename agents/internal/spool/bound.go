package spool

import "slices"

// boundDisk drops the oldest segments on disk until the folder fits its bound:
// acknowledged ones first, they are most likely safe.
func (s *Spool) boundDisk() {
	for s.diskBytes > s.options.MaxBytes {
		if !s.dropOldest(func(e *entry) bool { return e.path != "" }) {
			return
		}
	}
}

// boundMemory drops the oldest segments that are only in memory.
func (s *Spool) boundMemory() {
	for s.memoryBytes > s.options.MemoryBytes {
		if !s.dropOldest(func(e *entry) bool { return e.payload != nil }) {
			return
		}
	}
}

// dropOldest drops one segment that may be dropped and is not on its way, and
// tells whether there was one.
func (s *Spool) dropOldest(droppable func(*entry) bool) bool {
	at := slices.IndexFunc(s.entries, func(e *entry) bool { return e.acknowledged && droppable(e) })
	if at < 0 {
		at = slices.IndexFunc(s.entries, func(e *entry) bool { return !e.inFlight && droppable(e) })
	}
	if at < 0 {
		return false
	}
	s.drop(s.entries[at])
	return true
}

// drop removes a segment and counts its samples as lost unless the store has
// acknowledged them.
func (s *Spool) drop(e *entry) {
	if e.gone {
		return
	}
	if !e.acknowledged {
		s.dropped += uint64(e.samples) //nolint:gosec // a count, never negative
	}
	s.entries = slices.DeleteFunc(s.entries, func(other *entry) bool { return other == e })
	s.discard(e)
}

// discard gives back what a segment holds of disk and memory.
func (s *Spool) discard(e *entry) {
	e.gone = true
	s.memoryBytes -= int64(len(e.payload))
	e.payload = nil
	if e.path != "" {
		s.diskBytes -= e.size
		s.enqueueRemoval(e.path)
		e.path = ""
	}
}
