package push

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	firstWait = time.Second
	longest   = 60 * time.Second
	// shortest keeps full jitter from drawing what is no wait at all.
	shortest = 100 * time.Millisecond
)

// Backoff spaces out attempts that fail: full jitter below a bound that
// doubles from 1 s to 60 s, so that a thousand agents do not return at once.
// The zero value is ready. It is for one goroutine.
type Backoff struct {
	failures int
	// Random gives a number in [0, 1); nil means a good random source.
	Random func() float64
}

// Reset forgets past failures.
func (b *Backoff) Reset() { b.failures = 0 }

// Next gives the wait after one more failure.
func (b *Backoff) Next() time.Duration {
	bound := longest
	if b.failures < 6 { // 2^6 s is beyond the longest
		bound = min(firstWait<<b.failures, longest)
	}
	b.failures++
	random := rand.Float64
	if b.Random != nil {
		random = b.Random
	}
	return max(shortest, time.Duration(random()*float64(bound)))
}

// Wait waits after one more failure; it returns early, with false, when the
// context ends.
func (b *Backoff) Wait(ctx context.Context) bool { return Pause(ctx, b.Next()) }

// Pause waits for the given time; it returns early, with false, when the
// context ends.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
