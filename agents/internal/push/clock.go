package push

import (
	"math"
	"sync"
	"time"
)

// Clock is corrected time: the server's, carried forward by this host's
// monotonic clock. A step of the host's wall clock does not move it. Until the
// server has told its time it is the host's own at the start.
type Clock struct {
	now func() time.Time

	mu       sync.Mutex
	base     time.Time // local reading, with its monotonic part
	server   time.Time // what the server's clock showed at base
	exact    time.Duration
	measured bool
}

// NewClock makes a clock; now reads local time with its monotonic part, nil
// means time.Now.
func NewClock(now func() time.Time) *Clock {
	if now == nil {
		now = time.Now
	}
	base := now()
	return &Clock{now: now, base: base, server: base.Round(0)}
}

// Measure takes the time that the server told in an answer: its clock showed
// serverTime (Unix seconds) in the middle between sent and received, give or
// take half of the round trip. A reading that agrees with a more exact one held
// changes nothing, so that a slow answer does not shake the stamps.
func (c *Clock) Measure(serverTime float64, sent, received time.Time) {
	if math.IsNaN(serverTime) || serverTime <= 0 || serverTime > math.MaxInt32*2 {
		return
	}
	half := received.Sub(sent) / 2
	seconds, fraction := math.Modf(serverTime)
	server := time.Unix(int64(seconds), int64(fraction*1e9))
	middle := sent.Add(half)

	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.server.Add(middle.Sub(c.base))
	if c.measured && half > c.exact && held.Sub(server).Abs() <= half {
		return
	}
	c.base, c.server, c.exact, c.measured = middle, server, half, true
}

// Now is the corrected time.
func (c *Clock) Now() time.Time {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.Add(now.Sub(c.base))
}

// Local reads the host's clock, for Measure.
func (c *Clock) Local() time.Time { return c.now() }

// Offset is how far the host's wall clock is behind the server's (negative:
// ahead); ok is false until the server has told its time.
func (c *Clock) Offset() (offset time.Duration, ok bool) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.Add(now.Sub(c.base)).Sub(now.Round(0)), c.measured
}
