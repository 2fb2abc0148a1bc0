package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"leadline/agents/internal/model"
)

// afterDeadline is what a collector gets to notice that its time is over.
const afterDeadline = 100 * time.Millisecond

var (
	errSlow = errors.New("not done in time")
	errBusy = errors.New("still not done with an earlier pass")
)

// supervised is a collector that can do no harm: it runs on its own, a panic
// or a hang costs its own samples only, and while it hangs it is not started
// again.
type supervised struct {
	model.Collector
	busy   atomic.Bool
	failed bool // by the last pass; only the pass itself looks at it
}

func supervise(collectors []model.Collector) []*supervised {
	all := make([]*supervised, 0, len(collectors))
	for _, collector := range collectors {
		all = append(all, &supervised{Collector: collector})
	}
	return all
}

// reading is what one collector gave in one pass.
type reading struct {
	index   int
	samples []model.Sample
	took    time.Duration
	err     error
}

// pass runs all collectors side by side until they are done or the context's
// deadline is over, and gives their readings in the collectors' order.
func pass(ctx context.Context, collectors []*supervised) []reading {
	started := time.Now()
	readings := make([]reading, len(collectors))
	arrived := make(chan reading, len(collectors))
	var running int
	for i, collector := range collectors {
		readings[i].err = errBusy
		if !collector.busy.CompareAndSwap(false, true) {
			continue
		}
		running++
		readings[i].err = errSlow
		go func() {
			r := collector.collect(ctx)
			r.index = i
			collector.busy.Store(false)
			arrived <- r
		}()
	}
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(afterDeadline, func() { close(over) }) })
	defer stop()
	for ; running > 0; running-- {
		select {
		case r := <-arrived:
			readings[r.index] = r
		case <-over:
			for i := range readings {
				if readings[i].err == errSlow { //nolint:errorlint // set above, never wrapped
					readings[i].took = time.Since(started)
				}
			}
			return readings
		}
	}
	return readings
}

func (s *supervised) collect(ctx context.Context) (r reading) {
	started := time.Now()
	var labels []model.Label // one backing array for a pass's labels
	defer func() {
		r.took = time.Since(started)
		if problem := recover(); problem != nil {
			r.err = fmt.Errorf("panic: %v", problem)
			slog.Error("A collector panicked.", slog.String("collector", s.Name()), slog.String("stack", string(debug.Stack())))
		}
	}()
	r.err = s.Collect(ctx, func(name string, value float64, of ...model.Label) {
		from := len(labels)
		labels = append(labels, of...)
		r.samples = append(r.samples, model.Sample{Name: name, Value: value, Labels: labels[from:len(labels):len(labels)]})
	})
	return r
}

// note logs a collector's change between working and failing.
func (s *supervised) note(log *slog.Logger, target string, err error) {
	if s.failed == (err != nil) {
		return
	}
	s.failed = err != nil
	where := []any{slog.String("target", target), slog.String("collector", s.Name())}
	if err != nil {
		log.Warn("A collector fails.", append(where, slog.String("error", err.Error()))...)
	} else {
		log.Info("A collector works again.", where...)
	}
}
