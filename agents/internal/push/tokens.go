package push

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

const (
	// shortLived is how long a token must have worked for its refusal to be news
	// rather than a quarrel that back-off has to calm.
	shortLived = 5 * time.Second
	minExpires = 2.0     // seconds; less cannot be renewed in time
	maxExpires = 86400.0 // seconds
)

// TokenAnswer is what the server gives to an agent that may push.
type TokenAnswer struct {
	Token       string  `json:"token"`
	ExpiresIn   float64 `json:"expires_in"`  // seconds from now on
	ServerTime  float64 `json:"server_time"` // Unix seconds
	StoreBootID string  `json:"store_boot_id"`
	Generation  int64   `json:"generation"`
}

// Tokens holds the token that pushes carry and renews it at half of its life.
type Tokens struct {
	ask      func(context.Context) (TokenAnswer, error)
	onAnswer func(TokenAnswer)
	onChange func()
	clock    *Clock
	renew    chan struct{}
	tried    chan struct{}

	mu      sync.Mutex
	token   string
	expires time.Time // local, monotonic
	problem error
	changed chan struct{}
}

// NewTokens makes the holder. ask gets a token from the server; onAnswer hears
// each answer, onChange each change of Problem.
func NewTokens(clock *Clock, ask func(context.Context) (TokenAnswer, error), onAnswer func(TokenAnswer), onChange func()) *Tokens {
	return &Tokens{
		ask: ask, onAnswer: onAnswer, onChange: onChange, clock: clock,
		renew: make(chan struct{}, 1), tried: make(chan struct{}), changed: make(chan struct{}),
	}
}

// Tried is closed once the first request for a token has been answered or has failed.
func (t *Tokens) Tried() <-chan struct{} { return t.tried }

// Problem is why there is no token, or why it could not be renewed; nil when all is well.
func (t *Tokens) Problem() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.problem
}

// Current gives a token that has not expired; ok is false when there is none.
func (t *Tokens) Current() (token string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token, t.token != "" && t.clock.Local().Before(t.expires)
}

// Wait gives a token that has not expired, as soon as there is one.
func (t *Tokens) Wait(ctx context.Context) (string, error) {
	for {
		t.mu.Lock()
		changed := t.changed
		t.mu.Unlock()
		if token, ok := t.Current(); ok {
			return token, nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-changed:
		}
	}
}

// Invalidate says that the server no longer takes this token. A token that has
// been replaced meanwhile stays.
func (t *Tokens) Invalidate(token string) {
	t.mu.Lock()
	current := t.token == token && token != ""
	if current {
		t.token = ""
	}
	t.mu.Unlock()
	if current {
		t.Renew()
	}
}

// Renew asks for another token soon; the one held serves until then. It is for
// who has reason to think that the server would give none.
func (t *Tokens) Renew() {
	select {
	case t.renew <- struct{}{}:
	default:
	}
}

// Run keeps a token until the context ends.
func (t *Tokens) Run(ctx context.Context) {
	var backoff Backoff
	var first sync.Once
	for ctx.Err() == nil {
		lifetime, asked, err := t.request(ctx)
		first.Do(func() { close(t.tried) })
		if err != nil {
			if !backoff.Wait(ctx) {
				return
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lifetime/2 - t.clock.Local().Sub(asked)):
			backoff.Reset()
		case <-t.renew:
			if t.clock.Local().Sub(asked) >= shortLived {
				backoff.Reset()
			} else if !backoff.Wait(ctx) {
				return
			}
		}
	}
}

// request asks once and takes in the answer.
func (t *Tokens) request(ctx context.Context) (lifetime time.Duration, asked time.Time, err error) {
	asked = t.clock.Local()
	sent, received := asked, time.Time{}
	trace := &httptrace.ClientTrace{ // leaves the time to connect out of the round trip
		GotConn:              func(httptrace.GotConnInfo) { sent = t.clock.Local() },
		GotFirstResponseByte: func() { received = t.clock.Local() },
	}
	answer, err := t.ask(httptrace.WithClientTrace(ctx, trace))
	if err == nil && (answer.Token == "" || answer.ExpiresIn < minExpires || answer.ExpiresIn > maxExpires) {
		err = &Refusal{Status: http.StatusOK, Code: NotLeadline, Detail: "the answer holds no usable token"}
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			t.set(func() { t.problem = err })
		}
		return 0, asked, err
	}
	if received.IsZero() {
		received = t.clock.Local()
	}
	t.clock.Measure(answer.ServerTime, sent, received)
	lifetime = time.Duration(answer.ExpiresIn * float64(time.Second))
	t.onAnswer(answer)
	t.set(func() { t.token, t.expires, t.problem = answer.Token, asked.Add(lifetime), nil })
	return lifetime, asked, nil
}

// set changes what waiters look at and wakes them.
func (t *Tokens) set(change func()) {
	t.mu.Lock()
	before := sentence(t.problem)
	change()
	after := sentence(t.problem)
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
	if before != after {
		t.onChange()
	}
}

func sentence(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
