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
	if generation == f.applied.Load() {
		return
	}
	select {
	case f.notice <- struct{}{}:
	default:
	}
}

// Run follows until the context ends.
func (f *Follower) Run(ctx context.Context) {
	var failing, hurried push.Backoff
	var quickAnswers int
	for ctx.Err() == nil {
		started := time.Now()
		err := f.fetch(ctx)
		if ctx.Err() != nil {
			return
		}
		f.trouble(err)
		if err == nil {
			// A poll that fails has no word of its own: the fetch after it has.
			err = f.awaitChange(ctx)
		}
		if err != nil {
			if !failing.Wait(ctx) {
				return
			}
			continue
		}
		failing.Reset()
		if time.Since(started) >= quick {
			quickAnswers = 0
			hurried.Reset()
			continue
		}
		// The first quick answer is a change that somebody waits for.
		if quickAnswers++; quickAnswers > 1 && !hurried.Wait(ctx) {
			return
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

// awaitChange polls once: it returns when the server names another generation,
// when the wait is over, or when Notice was told of one.
func (f *Follower) awaitChange(ctx context.Context) error {
	polling, cancel := context.WithCancel(ctx)
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		_, err := poll(polling, f.client, f.applied.Load())
		answer <- err
	}()
	select {
	case err := <-answer:
		return err
	case <-f.notice:
		return nil
	}
}
