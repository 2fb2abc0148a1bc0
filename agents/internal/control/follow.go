package control

import (
	"context"
	"sync/atomic"
	"time"

	"leadline/agents/internal/push"
)

// quick is when an answer to a poll came so soon that the next poll may have
// to wait: a server that does not hold polls must not be asked in a tight loop.
const quick = time.Second

// Follower keeps up with the desired state: it fetches it, hands it on, and
// waits on the server for the next change.
type Follower struct {
	client  *push.Client
	apply   func(desired Desired, raw []byte)
	trouble func(error)
	notice  chan struct{}
	applied atomic.Int64
	noticed atomic.Int64
}

// NewFollower makes a follower. apply gets each desired state that was
// fetched; trouble gets the error of each fetch that failed, and nil after one
// that did not.
func NewFollower(client *push.Client, apply func(Desired, []byte), trouble func(error)) *Follower {
	return &Follower{client: client, apply: apply, trouble: trouble, notice: make(chan struct{}, 1)}
}

// Notice tells the follower of a generation that the server named elsewhere:
// so a change arrives even where polls do not get through.
func (f *Follower) Notice(generation int64) {
	f.noticed.Store(generation)
	select {
	case f.notice <- struct{}{}:
	default:
	}
}

// Run follows until the context ends.
func (f *Follower) Run(ctx context.Context) {
	var failing, hurried push.Backoff
	var quickAnswers int
	for stale := true; ctx.Err() == nil; {
		if stale {
			err := f.fetch(ctx)
			if ctx.Err() != nil {
				return
			}
			if f.trouble(err); err != nil {
				failing.Wait(ctx)
				continue
			}
		}
		started := time.Now()
		changed, err := f.awaitChange(ctx)
		if err != nil {
			// A poll that fails has no word of its own: the fetch after it has.
			stale = true
			failing.Wait(ctx)
			continue
		}
		failing.Reset()
		stale = changed
		if time.Since(started) >= quick {
			quickAnswers = 0
			hurried.Reset()
			continue
		}
		// The first quick answer is a change that somebody waits for.
		if quickAnswers++; quickAnswers > 1 {
			hurried.Wait(ctx)
		}
	}
}

func (f *Follower) fetch(ctx context.Context) error {
	desired, raw, err := FetchDesired(ctx, f.client)
	if err != nil {
		return err
	}
	f.applied.Store(desired.Generation)
	f.apply(desired, raw)
	return nil
}

// awaitChange polls once and tells whether the server names another generation
// than the one applied. Notice cuts the wait short.
func (f *Follower) awaitChange(ctx context.Context) (changed bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		generation int64
		err        error
	}
	answers := make(chan result, 1)
	applied := f.applied.Load()
	go func() {
		generation, err := poll(ctx, f.client, applied)
		answers <- result{generation, err}
	}()
	for {
		select {
		case answer := <-answers:
			return answer.generation != applied, answer.err
		case <-f.notice:
			if f.noticed.Load() != applied {
				return true, nil
			}
		}
	}
}
