package main

import (
	"context"
	"time"

	"leadline/agents/internal/push"
)

// stepBack is how far corrected time may fall behind the last stamp before the
// agent stops waiting for it. Stamps rise strictly, but a clock that was wrong
// by an hour must not cost an hour of samples.
const stepBack = 60 * time.Second

// nextStamp is the next planned tick: on the grid of the interval, after last
// and not before now. last is 0 when there was none.
func nextStamp(now time.Time, interval time.Duration, lastMS int64) int64 {
	step := interval.Milliseconds()
	nowMS := now.UnixMilli()
	next := (nowMS + step - 1) / step * step
	if lastMS >= next && lastMS-nowMS <= stepBack.Milliseconds() {
		next = (lastMS/step + 1) * step
	}
	return next
}

// ticker plans the passes over one target.
type ticker struct {
	clock    *push.Clock
	interval func() time.Duration
	lastMS   int64
}

// wait waits for the next tick and gives its stamp; ok is false when the
// context ends. A tick that was slept through is not made up for.
func (t *ticker) wait(ctx context.Context) (stampMS int64, interval time.Duration, ok bool) {
	for {
		interval = t.interval()
		stampMS = nextStamp(t.clock.Now(), interval, t.lastMS)
		if !push.Pause(ctx, time.UnixMilli(stampMS).Sub(t.clock.Now())) {
			return 0, 0, false
		}
		// The clock may have been corrected meanwhile, or the host suspended.
		late := t.clock.Now().Sub(time.UnixMilli(stampMS))
		if late >= 0 && late < interval {
			t.lastMS = stampMS
			return stampMS, interval, true
		}
	}
}
