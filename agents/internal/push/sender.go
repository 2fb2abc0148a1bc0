package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	pushTimeout = 10 * time.Second
	writePath   = "/ingest/api/v1/write"
)

// Lane tells live data from the backlog.
type Lane int

// The two lanes of a Queue.
const (
	Live Lane = iota
	Backlog
)

// Delivery is one push that was taken from the queue. Exactly one of its four
// ends is called.
type Delivery interface {
	Payload() []byte // a remote-write request, compressed with zstd
	Samples() int
	Acknowledge() // the store took it
	Fail()        // the store could not take it
	Release()     // nothing was tried
	Reject() int  // it will never be taken; gives the samples dropped
}

// Queue is where pushes come from.
type Queue interface {
	Take(lane Lane) (Delivery, bool)
	Ready(lane Lane) <-chan struct{} // receives when Take may give something
}

// Health is what a person wants to know of the sender.
type Health struct {
	LastPush time.Time // of the last success; zero means never
	Problem  error     // of the last push, nil after a success
	OK       uint64    // pushes that the store took
	Failed   uint64    // pushes to be sent again
	Dropped  uint64    // pushes the server will never take
}

// Sender empties a queue into the store.
type Sender struct {
	client   *Client
	tokens   *Tokens
	queue    Queue
	onChange func()

	mu     sync.Mutex
	health Health
}

// NewSender makes a sender; onChange hears each change between working and not.
func NewSender(client *Client, tokens *Tokens, queue Queue, onChange func()) *Sender {
	return &Sender{client: client, tokens: tokens, queue: queue, onChange: onChange}
}

// Health gives a copy.
func (s *Sender) Health() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health
}

// Run sends until the context ends. While pushes fail it tries one at a time,
// live data first, with back-off. Once one has been taken both lanes run, side
// by side, until one fails again.
func (s *Sender) Run(ctx context.Context) {
	var backoff Backoff
	for ctx.Err() == nil {
		token, err := s.tokens.Wait(ctx)
		if err != nil {
			return
		}
		delivery, ok := s.either(ctx)
		if !ok {
			return
		}
		switch s.deliver(ctx, token, delivery) {
		case taken:
			backoff.Reset()
			s.bothLanes(ctx)
		case unauthorized:
			continue // Wait blocks until there is another token
		case failed:
		}
		if !backoff.Wait(ctx) {
			return
		}
	}
}

// Flush sends what waits until nothing does, something fails or the context
// ends. It does not wait for a token.
func (s *Sender) Flush(ctx context.Context) {
	for _, lane := range []Lane{Live, Backlog} {
		for {
			token, ok := s.tokens.Current()
			if !ok {
				return
			}
			delivery, ok := s.queue.Take(lane)
			if !ok {
				break
			}
			if s.deliver(ctx, token, delivery) != taken {
				return
			}
		}
	}
}

func (s *Sender) bothLanes(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var lanes sync.WaitGroup
	for _, lane := range []Lane{Live, Backlog} {
		lanes.Go(func() {
			defer cancel() // one lane's failure is the other's too
			s.drain(ctx, lane)
		})
	}
	lanes.Wait()
}

// drain sends a lane's pushes one after another until one fails.
func (s *Sender) drain(ctx context.Context, lane Lane) {
	for {
		token, err := s.tokens.Wait(ctx)
		if err != nil {
			return
		}
		delivery, ok := s.queue.Take(lane)
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-s.queue.Ready(lane):
				continue
			}
		}
		if s.deliver(ctx, token, delivery) == failed {
			return
		}
	}
}

// either waits for a push of any lane and prefers a live one.
func (s *Sender) either(ctx context.Context) (Delivery, bool) {
	for {
		for _, lane := range []Lane{Live, Backlog} {
			if delivery, ok := s.queue.Take(lane); ok {
				return delivery, true
			}
		}
		select {
		case <-ctx.Done():
			return nil, false
		case <-s.queue.Ready(Live):
		case <-s.queue.Ready(Backlog):
		}
	}
}

type outcome int

const (
	taken        outcome = iota // the server has judged the push, the way is clear
	unauthorized                // the token is no longer taken
	failed                      // try again later
)

func (s *Sender) deliver(ctx context.Context, token string, delivery Delivery) outcome {
	err := s.client.write(ctx, token, delivery.Payload())
	var refusal *Refusal
	switch {
	case err == nil:
		delivery.Acknowledge()
		s.record(func(h *Health) { h.OK++; h.LastPush, h.Problem = time.Now(), nil })
		return taken
	case ctx.Err() != nil:
		delivery.Release()
		return failed
	case errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized:
		delivery.Release()
		s.tokens.Invalidate(token)
		return unauthorized
	case errors.As(err, &refusal) && (refusal.Status == http.StatusBadRequest || refusal.Status == http.StatusRequestEntityTooLarge):
		if samples := delivery.Reject(); samples > 0 {
			s.record(func(h *Health) {
				h.Dropped++
				h.Problem = fmt.Errorf("%d samples were dropped: %w", samples, err)
			})
		}
		return taken
	}
	delivery.Fail()
	s.record(func(h *Health) { h.Failed++; h.Problem = err })
	return failed
}

func (s *Sender) record(change func(*Health)) {
	s.mu.Lock()
	before := sentence(s.health.Problem)
	change(&s.health)
	after := sentence(s.health.Problem)
	s.mu.Unlock()
	if before != after {
		s.onChange()
	}
}

// write sends one remote-write request, within 10 s.
func (c *Client) write(ctx context.Context, token string, payload []byte) error {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server+writePath, bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("the push cannot be made: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("Content-Encoding", "zstd")
	request.Header.Set("X-VictoriaMetrics-Remote-Write-Version", "1")
	status, _, err := c.send(request)
	if err == nil && status != http.StatusNoContent {
		return &Refusal{Status: status, Code: NotLeadline, Detail: "the push was answered by something that is not the store"}
	}
	return err
}
