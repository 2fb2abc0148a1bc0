package push

import (
	"testing"
	"time"
)

// host is a host's clocks: wall and monotonic can be moved apart.
type host struct{ now time.Time }

func (h *host) Now() time.Time          { return h.now }
func (h *host) forward(d time.Duration) { h.now = h.now.Add(d) }
func unix(t time.Time) float64          { return float64(t.UnixNano()) / 1e9 }
func near(a, b time.Duration) bool      { return (a - b).Abs() <= time.Millisecond }

func TestClockCorrectsByTheMiddleOfTheRoundTrip(t *testing.T) {
	h := &host{now: time.Now()}
	c := NewClock(h.Now)
	if _, known := c.Offset(); known {
		t.Error("an offset is known before the server told its time")
	}
	sent := h.Now()
	h.forward(200 * time.Millisecond)
	// The server is an hour ahead and answered in the middle.
	c.Measure(unix(sent.Add(100*time.Millisecond+time.Hour)), sent, h.Now())
	offset, known := c.Offset()
	if !known || !near(offset, time.Hour) {
		t.Errorf("got %v, %v", offset, known)
	}
	if ahead := c.Now().Sub(h.Now()); !near(ahead, time.Hour) {
		t.Errorf("corrected time is %v ahead", ahead)
	}
}

func TestASlowAnswerThatAgreesChangesNothing(t *testing.T) {
	h := &host{now: time.Now()}
	c := NewClock(h.Now)
	c.Measure(unix(h.Now()), h.Now(), h.Now())
	sent := h.Now()
	h.forward(2 * time.Second)
	c.Measure(unix(sent.Add(200*time.Millisecond)), sent, h.Now()) // answered early: 0.8 s off the middle
	if offset, _ := c.Offset(); !near(offset, 0) {
		t.Errorf("shaken by %v", offset)
	}
	sent = h.Now()
	h.forward(2 * time.Second)
	c.Measure(unix(sent.Add(6*time.Second)), sent, h.Now()) // cannot be explained by the way it took
	if offset, _ := c.Offset(); !near(offset, 5*time.Second) {
		t.Errorf("a real change was missed: %v", offset)
	}
}

func TestNonsenseFromTheServerIsNoTime(t *testing.T) {
	h := &host{now: time.Now()}
	c := NewClock(h.Now)
	zero := 0.0
	for _, value := range []float64{0, -5, 1e300, zero / zero} {
		c.Measure(value, h.Now(), h.Now())
	}
	if _, known := c.Offset(); known {
		t.Error("taken for a time")
	}
}

func TestBackoffGrowsWithFullJitter(t *testing.T) {
	var b Backoff
	b.Random = func() float64 { return 0.999999 }
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		if got := b.Next(); !near(got, want*time.Second) {
			t.Errorf("got %v, want %v s", got, want)
		}
	}
	b.Random = func() float64 { return 0 }
	if got := b.Next(); got != shortest {
		t.Errorf("the luckiest draw waits %v", got)
	}
	b.Reset()
	b.Random = func() float64 { return 0.5 }
	if got := b.Next(); got != 500*time.Millisecond {
		t.Errorf("after a reset: %v", got)
	}
	for range 100 { // the default source stays within its bound
		var fresh Backoff
		if got := fresh.Next(); got < shortest || got > firstWait {
			t.Fatalf("got %v", got)
		}
	}
}
