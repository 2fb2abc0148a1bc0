// Package spool keeps every pass from the moment it was collected until the
// store has surely written it down. A pass is one small file; an acknowledged
// one stays for a minute, because an acknowledgement is not durable, and is
// sent again after any failure. Sending twice is free, losing is not.
package spool

import (
	"os"
	"slices"
	"sync"
	"time"
)

const (
	// keepAcknowledged is how long an acknowledged segment stays.
	keepAcknowledged = 60 * time.Second
	// settled is how long the store holds accepted samples in memory at most
	// (5 s), and as much again. A boot id seen that long after an
	// acknowledgement proves that the segment survived.
	settled = 10 * time.Second
	// diskPatience is how long a collector waits for a disk that hangs.
	diskPatience = time.Second

	defaultMemoryBytes = 4 << 20
)

// Lane tells what was just collected from what waited longer.
type Lane int

// The two lanes: live data goes first, the backlog beside it.
const (
	Live Lane = iota
	Backlog
)

// Options say where the spool lives and how large it may grow.
type Options struct {
	Dir         string           // folder of the segment files, made if there is none
	MaxBytes    int64            // bound of the folder, in bytes on disk
	MemoryBytes int64            // bound of what is kept in memory while the disk refuses; 0 means 4 MiB
	Now         func() time.Time // a clock with monotonic readings; nil means time.Now
}

// Record is one collected pass, encoded and compressed.
type Record struct {
	StampMS int64
	Samples int
	Payload []byte
}

// Stats describe what waits to be sent. Acknowledged segments that are kept
// for their minute are not in it.
type Stats struct {
	Bytes          int64
	Segments       int
	OldestAge      time.Duration
	DroppedSamples uint64 // since the start of this process
	Problem        string // why the disk is not used, one sentence, or empty
}

type entry struct {
	seq          uint64
	stampMS      int64
	samples      int
	size         int64 // bytes on disk when path is set
	path         string
	payload      []byte // set while the segment is only in memory
	lane         Lane
	ready        bool // may be sent
	writing      bool // the writer has it in its queue
	inFlight     bool
	alone        bool // was refused together with others, or cannot be joined: goes by itself
	passes       int  // joined in it
	whole        bool // is not joined with others on disk
	acknowledged bool
	ackedAt      time.Time
	gone         bool // dropped while the writer had it
}

// Spool is safe for concurrent use.
type Spool struct {
	options Options
	merger  *merger
	ready   [2]chan struct{}
	writer  *writer

	mu          sync.Mutex
	entries     []*entry // ascending sequence
	nextSeq     uint64
	diskBytes   int64
	memoryBytes int64
	dropped     uint64
	problem     string
	bootID      string
	bootSeenAt  time.Time
	closed      bool
	compacting  bool
}

// Open reads the folder's index and starts the writer. Everything found waits
// to be sent again. A folder that cannot be used is no error: the spool works
// in memory, tries the disk again with each record and says so in Stats.
func Open(options Options) (*Spool, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.MemoryBytes == 0 {
		options.MemoryBytes = defaultMemoryBytes
	}
	merger, err := newMerger()
	if err != nil {
		return nil, err
	}
	s := &Spool{options: options, merger: merger, nextSeq: 1, writer: newWriter()}
	s.ready[Live], s.ready[Backlog] = make(chan struct{}, 1), make(chan struct{}, 1)
	if err := os.MkdirAll(options.Dir, folderMode); err != nil {
		s.problem = diskProblem(err)
	}
	s.readFolder()
	s.boundDisk()
	go s.writer.run()
	s.signal(Backlog)
	return s, nil
}

// Append stores a record and offers it to the live lane. It returns when the
// record is on disk, or when the disk has refused it or hung for a second: then
// the record is kept in memory. It drops the oldest where a bound is reached.
func (s *Spool) Append(r Record) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	e := &entry{seq: s.nextSeq, stampMS: r.StampMS, samples: r.Samples, payload: r.Payload, lane: Live, passes: 1}
	s.nextSeq++
	s.entries = append(s.entries, e)
	s.memoryBytes += int64(len(r.Payload))
	s.boundMemory()
	written := s.enqueueWrite(e)
	s.expire()
	s.compactSome()
	s.mu.Unlock()

	patience := time.NewTimer(diskPatience)
	defer patience.Stop()
	select {
	case <-written:
	case <-patience.C:
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	e.ready = true
	s.signal(Live)
}

// Ready gives a channel that receives when the lane may hold something to take.
func (s *Spool) Ready(lane Lane) <-chan struct{} { return s.ready[lane] }

// StoreBoot records the store's boot id that the server named just now. When
// it differs from the last one the store has restarted and may have lost what
// it had acknowledged: all of that waits to be sent again.
func (s *Spool) StoreBoot(id string) {
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bootID != "" && s.bootID != id {
		s.resendAcknowledged()
	}
	s.bootID, s.bootSeenAt = id, s.options.Now()
	s.expire()
}

// Stats describes what waits; at is the corrected time, from which the age of
// the oldest is counted.
func (s *Spool) Stats(at time.Time) Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := Stats{DroppedSamples: s.dropped, Problem: s.problem}
	for _, e := range s.entries {
		if e.acknowledged {
			continue
		}
		stats.Segments++
		stats.Bytes += e.size + int64(len(e.payload))
		stats.OldestAge = max(stats.OldestAge, at.Sub(time.UnixMilli(e.stampMS)))
	}
	return stats
}

// LastStamp is the newest stamp in the spool, in milliseconds, or 0. A process
// that starts goes on after it, so that no stamp is used for two passes.
func (s *Spool) LastStamp() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last int64
	for _, e := range s.entries {
		last = max(last, e.stampMS)
	}
	return last
}

// Close writes what is only in memory to the disk, if the disk lets it within
// the given time, and stops the writer.
func (s *Spool) Close(patience time.Duration) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.rescue()
	s.mu.Unlock()
	s.writer.stop(patience)
}

// signal wakes who waits for the lane; a wake-up that is already there is enough.
func (s *Spool) signal(lane Lane) {
	select {
	case s.ready[lane] <- struct{}{}:
	default:
	}
}

// expire forgets acknowledged segments whose minute is over. While the server
// names boot ids, one that is newer than the acknowledgement must have come
// in too: until then a restart of the store could have gone unseen.
func (s *Spool) expire() {
	now := s.options.Now()
	s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool {
		over := e.acknowledged && now.Sub(e.ackedAt) >= keepAcknowledged &&
			(s.bootID == "" || s.bootSeenAt.Sub(e.ackedAt) >= settled)
		if over {
			s.discard(e)
		}
		return over
	})
}

// resendAcknowledged puts every acknowledged segment back into the backlog.
func (s *Spool) resendAcknowledged() {
	for _, e := range s.entries {
		if e.acknowledged {
			e.acknowledged, e.lane = false, Backlog
		}
	}
	s.signal(Backlog)
}
