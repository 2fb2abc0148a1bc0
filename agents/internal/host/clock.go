package host

// Reads the host's own clock, uncorrected: compared with the stamps it shows
// how far the host is off.

import (
	"context"
	"time"

	"leadline/agents/internal/model"
)

type clock struct{}

var _ model.Collector = clock{}

func newClock() clock { return clock{} }

// Name is "time".
func (clock) Name() string { return "time" }

// Collect emits node_time_seconds.
func (clock) Collect(_ context.Context, emit model.Emit) error {
	emit("node_time_seconds", float64(time.Now().UnixNano())/1e9)
	return nil
}
