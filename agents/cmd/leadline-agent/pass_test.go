package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"leadline/agents/internal/model"
)

// fake is a collector whose behaviour a test writes.
type fake struct {
	name    string
	collect func(ctx context.Context, emit model.Emit) error
}

func (f fake) Name() string                                       { return f.name }
func (f fake) Collect(ctx context.Context, emit model.Emit) error { return f.collect(ctx, emit) }

func good(name string) fake {
	return fake{name, func(_ context.Context, emit model.Emit) error {
		label := []model.Label{{Name: "n", Value: "1"}}
		emit(name+"_a", 1, label...)
		label[0].Value = "2" // a collector may use its slice again
		emit(name+"_b", 2, label...)
		return nil
	}}
}

func TestABrokenCollectorStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		release := make(chan struct{})
		collectors := supervise([]model.Collector{
			good("first"),
			fake{"half", func(_ context.Context, emit model.Emit) error {
				emit("half_a", 1)
				return errors.New("half of it is gone")
			}},
			fake{"panics", func(context.Context, model.Emit) error { panic("oh") }},
			fake{"hangs", func(context.Context, model.Emit) error { <-release; return nil }},
			good("last"),
		})
		once := func() []reading {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			return pass(ctx, collectors)
		}
		started := time.Now()
		readings := once()
		if took := time.Since(started); took > 4200*time.Millisecond {
			t.Errorf("the pass took %v", took)
		}
		for i, want := range []struct {
			samples int
			failed  bool
		}{{2, false}, {1, true}, {0, true}, {0, true}, {2, false}} {
			if r := readings[i]; len(r.samples) != want.samples || (r.err != nil) != want.failed {
				t.Errorf("%s: %d samples, %v", collectors[i].Name(), len(r.samples), r.err)
			}
		}
		if got := readings[0].samples; got[0].Labels[0].Value != "1" || got[1].Labels[0].Value != "2" {
			t.Errorf("labels were shared: %+v", got)
		}
		if !errors.Is(readings[3].err, errSlow) || readings[3].took < 4*time.Second {
			t.Errorf("the hanging one: %+v", readings[3])
		}

		started = time.Now()
		if again := once(); !errors.Is(again[3].err, errBusy) || time.Since(started) > time.Second {
			t.Errorf("a collector that hangs was waited for again: %v after %v", again[3].err, time.Since(started))
		}
		close(release)
		synctest.Wait()
		if back := once(); back[3].err != nil {
			t.Errorf("back again: %v", back[3].err)
		}
	})
}

func TestCollectorsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := fake{"slow", func(context.Context, model.Emit) error { <-time.After(time.Second); return nil }}
		collectors := supervise([]model.Collector{slow, slow, slow})
		started := time.Now()
		readings := pass(t.Context(), collectors)
		if took := time.Since(started); took != time.Second {
			t.Errorf("took %v", took)
		}
		if readings[2].took != time.Second {
			t.Errorf("its own time is %v", readings[2].took)
		}
	})
}
