package spool

import "slices"

const (
	// What goes into one push: enough to drain a day in a minute or two, little
	// enough to stay small in memory on both sides.
	pushSegments = 16
	pushBytes    = 64 << 10
)

// Delivery is one push on its way: one segment, or several joined. Exactly one
// of its four ends is called.
type Delivery struct {
	spool   *Spool
	entries []*entry
	payload []byte
}

// Payload is the compressed remote-write request.
func (d *Delivery) Payload() []byte { return d.payload }

// Samples is the number of samples in it.
func (d *Delivery) Samples() int {
	var samples int
	for _, e := range d.entries {
		samples += e.samples
	}
	return samples
}

// Acknowledge records a 2xx: the segments are kept for a minute all the same.
func (d *Delivery) Acknowledge() {
	s := d.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range d.entries {
		e.inFlight, e.acknowledged, e.ackedAt = false, true, s.options.Now()
	}
	s.expire()
}

// Fail records that the store could not take the push: it waits in the
// backlog, together with all that was acknowledged in the last minute.
func (d *Delivery) Fail() {
	s := d.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range d.entries {
		e.inFlight, e.lane = false, Backlog
	}
	s.resendAcknowledged()
}

// Release puts the push back as if it had never been taken.
func (d *Delivery) Release() {
	s := d.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range d.entries {
		e.inFlight = false
		s.signal(e.lane)
	}
}

// Reject records that the server will never take this push. A single segment
// is dropped and counted; several are sent one by one to find the bad one. It
// gives the number of samples dropped.
func (d *Delivery) Reject() int {
	if len(d.entries) > 1 {
		d.separate()
		return 0
	}
	s := d.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(d.entries[0])
	return d.entries[0].samples
}

func (d *Delivery) separate() {
	d.spool.mu.Lock()
	for _, e := range d.entries {
		e.alone = true
	}
	d.spool.mu.Unlock()
	d.Release()
}

// Take takes the next push of a lane; ok is false when the lane is empty.
// Segments that the disk has damaged are dropped and counted on the way.
func (s *Spool) Take(lane Lane) (d *Delivery, ok bool) {
	for {
		s.mu.Lock()
		chosen := s.choose(lane)
		loads := make([]load, 0, len(chosen))
		for _, e := range chosen {
			e.inFlight = true
			loads = append(loads, load{entry: e, path: e.path, payload: e.payload})
		}
		s.mu.Unlock()
		if len(chosen) == 0 {
			return nil, false
		}
		if d := s.load(loads); d != nil {
			return d, true
		}
	}
}

type load struct {
	entry   *entry
	path    string
	payload []byte
}

// load reads the chosen segments and joins them; nil when none of them could
// be read, or when they cannot be joined and must go one by one.
func (s *Spool) load(loads []load) *Delivery {
	d := &Delivery{spool: s}
	var payloads [][]byte
	for _, l := range loads {
		payload := l.payload
		if payload == nil {
			var err error
			if payload, err = readSegment(l.path); err != nil {
				s.mu.Lock()
				s.drop(l.entry)
				s.mu.Unlock()
				continue
			}
		}
		payloads = append(payloads, payload)
		d.entries = append(d.entries, l.entry)
	}
	switch len(payloads) {
	case 0:
		return nil
	case 1:
		d.payload = payloads[0]
		return d
	}
	joined, err := s.merger.merge(payloads)
	if err != nil {
		d.separate()
		return nil
	}
	d.payload = joined
	return d
}

// choose picks segments for one push, oldest first. The live lane never holds
// more than one push: what is older goes to the backlog, so that the newest
// is always first.
func (s *Spool) choose(lane Lane) []*entry {
	var waiting []*entry
	for _, e := range s.entries {
		if !e.ready || e.inFlight || e.acknowledged || e.lane != lane {
			continue
		}
		waiting = append(waiting, e)
		if lane == Backlog && len(waiting) == pushSegments {
			break
		}
	}
	if lane == Live {
		slices.Reverse(waiting)
	}
	chosen := fitting(waiting)
	if lane == Live {
		for _, e := range waiting[len(chosen):] {
			e.lane = Backlog
			s.signal(Backlog)
		}
		slices.Reverse(chosen)
	}
	return chosen
}

// fitting gives the longest beginning that goes into one push, at least one
// segment.
func fitting(waiting []*entry) []*entry {
	var bytes int64
	for i, e := range waiting {
		bytes += e.size + int64(len(e.payload))
		if i > 0 && (i >= pushSegments || bytes > pushBytes || e.alone || waiting[0].alone) {
			return waiting[:i]
		}
	}
	return waiting
}
