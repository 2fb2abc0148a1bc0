package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"leadline/agents/internal/push"
)

func TestNextStamp(t *testing.T) {
	const base = 1_790_000_000_000 // on the grid of 5 s
	for _, c := range []struct {
		name      string
		now, last int64
		want      int64
	}{
		{"the first", base + 1, 0, base + 5000},
		{"exactly on the grid", base, 0, base},
		{"just passed", base + 5003, base + 5000, base + 10000},
		{"before the last, by a correction", base + 4990, base + 5000, base + 10000},
		{"far before the last", base, base + 40_000, base + 45_000},
		{"so far that waiting would cost more", base, base + 3_600_000, base},
		{"after a long sleep", base + 61_000, base, base + 65_000},
		{"the last one off this grid", base + 100, base + 5500, base + 10000},
	} {
		got := nextStamp(time.UnixMilli(c.now), 5*time.Second, c.last)
		if got != c.want || got%5000 != 0 {
			t.Errorf("%s: got %d, want %d", c.name, got-base, c.want-base)
		}
	}
}

func TestTicksAreOnTheGridAndRise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := push.NewClock(nil)
		ticks := ticker{clock: clock, interval: func() time.Duration { return 5 * time.Second }}
		var last int64
		for n := range 50 {
			stamp, interval, ok := ticks.wait(t.Context())
			if !ok || interval != 5*time.Second || stamp%5000 != 0 || stamp <= last {
				t.Fatalf("tick %d: %d after %d", n, stamp, last)
			}
			if late := clock.Now().UnixMilli() - stamp; late < 0 || late > 1 {
				t.Fatalf("tick %d is %d ms late", n, late)
			}
			if last != 0 && n != 21 && stamp-last != 5000 {
				t.Errorf("tick %d: %d ms after the one before", n, stamp-last)
			}
			last = stamp
			switch n {
			case 10: // a slow pass, within the interval
				<-time.After(4 * time.Second)
			case 20: // the server's clock turns out to be 3 s ahead
				now := time.Now()
				clock.Measure(float64(now.Add(3*time.Second).UnixMilli())/1000, now, now)
			}
		}
	})
}

func TestTicksEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		ticks := ticker{clock: push.NewClock(nil), interval: func() time.Duration { return time.Hour }, lastMS: time.Now().UnixMilli()}
		if _, _, ok := ticks.wait(ctx); ok {
			t.Error("a tick after the end")
		}
	})
}
