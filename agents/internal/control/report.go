package control

import (
	"context"
	"time"

	"leadline/agents/internal/push"
)

const (
	reportEvery = 15 * time.Second
	// reportGap lets changes that come together travel together.
	reportGap = 500 * time.Millisecond
)

// Reporter sends the status every 15 s and soon after each change.
type Reporter struct {
	client   *push.Client
	snapshot func() StatusReport
	answered func(StatusAnswer)
	trouble  func(error)
	changed  chan struct{}
}

// NewReporter makes a reporter. snapshot gives what to report now, answered
// gets each answer, trouble the error of each report that failed and nil after
// one that did not.
func NewReporter(client *push.Client, snapshot func() StatusReport, answered func(StatusAnswer), trouble func(error)) *Reporter {
	return &Reporter{client: client, snapshot: snapshot, answered: answered, trouble: trouble, changed: make(chan struct{}, 1)}
}

// Changed asks for a report soon.
func (r *Reporter) Changed() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// Run reports until the context ends.
func (r *Reporter) Run(ctx context.Context) {
	var backoff push.Backoff
	for ctx.Err() == nil {
		answer, err := Report(ctx, r.client, r.snapshot())
		if ctx.Err() != nil {
			return
		}
		r.trouble(err)
		if err != nil {
			if !backoff.Wait(ctx) {
				return
			}
			continue
		}
		backoff.Reset()
		r.answered(answer)
		if !r.pause(ctx) {
			return
		}
	}
}

// pause waits for the next report's time; false when the context ends.
func (r *Reporter) pause(ctx context.Context) bool {
	if !push.Pause(ctx, reportGap) {
		return false
	}
	timer := time.NewTimer(reportEvery - reportGap)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-r.changed:
	}
	return true
}
