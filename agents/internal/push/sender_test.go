package push

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// queue is two lanes of named pushes.
type queue struct {
	mu    sync.Mutex
	lanes [2][]*parcel
	ready [2]chan struct{}
	log   []string // "name end"
}

type parcel struct {
	queue *queue
	lane  Lane
	name  string
}

func newQueue() *queue {
	return &queue{ready: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}}
}

func (q *queue) put(lane Lane, names ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, name := range names {
		q.lanes[lane] = append(q.lanes[lane], &parcel{q, lane, name})
	}
	select {
	case q.ready[lane] <- struct{}{}:
	default:
	}
}

func (q *queue) Take(lane Lane) (Delivery, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lanes[lane]) == 0 {
		return nil, false
	}
	first := q.lanes[lane][0]
	q.lanes[lane] = q.lanes[lane][1:]
	return first, true
}

func (q *queue) Ready(lane Lane) <-chan struct{} { return q.ready[lane] }

func (q *queue) ended() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.log)
}

func (p *parcel) end(how string, lane Lane, back bool) {
	p.queue.mu.Lock()
	p.queue.log = append(p.queue.log, p.name+" "+how)
	p.queue.mu.Unlock()
	if back {
		p.queue.put(lane, p.name)
	}
}

func (p *parcel) Payload() []byte { return []byte(p.name) }
func (p *parcel) Samples() int    { return 1 }
func (p *parcel) Acknowledge()    { p.end("acknowledged", p.lane, false) }
func (p *parcel) Fail()           { p.end("failed", Backlog, true) }
func (p *parcel) Release()        { p.end("released", p.lane, true) }
func (p *parcel) Reject() int     { p.end("rejected", p.lane, false); return 1 }

// store is a metric store whose answers a test decides.
type store struct {
	*httptest.Server
	mu     sync.Mutex
	answer func(name, token string) int
	got    []string
}

func newStore(t *testing.T, answer func(name, token string) int) *store {
	t.Helper()
	s := &store{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/ingest/api/v1/write" || r.Header.Get("Content-Encoding") != "zstd" ||
			r.Header.Get("X-VictoriaMetrics-Remote-Write-Version") != "1" || r.Header.Get("Leadline-Protocol") != "1" {
			t.Errorf("%s %v", r.URL.Path, r.Header)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, string(body))
		w.WriteHeader(s.answer(string(body), r.Header.Get("Authorization")))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *store) set(answer func(name, token string) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func newSender(t *testing.T, s *store, q *queue) *Sender {
	t.Helper()
	var mu sync.Mutex
	given := 0
	tokens := NewTokens(NewClock(nil), func(context.Context) (TokenAnswer, error) {
		mu.Lock()
		defer mu.Unlock()
		given++
		return TokenAnswer{Token: "t" + string(rune('0'+given)), ExpiresIn: 600, ServerTime: 1_790_000_000}, nil
	}, func(TokenAnswer) {}, func() {})
	sender := NewSender(newClient(t, s.URL, ""), tokens, q, func() {})
	ctx, cancel := context.WithCancel(t.Context())
	var loops sync.WaitGroup
	loops.Go(func() { tokens.Run(ctx) })
	t.Cleanup(func() { cancel(); loops.Wait() })
	return sender
}

func start(t *testing.T, sender *Sender) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); sender.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

func eventually(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !isTrue() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

func accept(string, string) int { return http.StatusNoContent }

func TestBothLanesAreEmptiedLiveFirst(t *testing.T) {
	s, q := newStore(t, accept), newQueue()
	q.put(Backlog, "old1", "old2", "old3")
	q.put(Live, "new")
	sender := newSender(t, s, q)
	start(t, sender)
	eventually(t, "all acknowledged", func() bool { return len(q.ended()) == 4 })
	if q.ended()[0] != "new acknowledged" {
		t.Errorf("got %v", q.ended())
	}
	health := sender.Health()
	if health.OK != 4 || health.Failed != 0 || health.Problem != nil || health.LastPush.IsZero() {
		t.Errorf("got %+v", health)
	}
}

func TestAFailedPushIsSentAgainAfterAWait(t *testing.T) {
	s, q := newStore(t, func(string, string) int { return http.StatusServiceUnavailable }), newQueue()
	sender := newSender(t, s, q)
	start(t, sender)
	q.put(Live, "a")
	eventually(t, "a failure", func() bool { return sender.Health().Failed > 0 })
	if sender.Health().Problem == nil {
		t.Error("no problem is told")
	}
	s.set(accept)
	eventually(t, "acknowledged", func() bool { return slices.Contains(q.ended(), "a acknowledged") })
	if problem := sender.Health().Problem; problem != nil {
		t.Errorf("still told: %v", problem)
	}
}

func TestAnExpiredTokenIsReplacedAndThePushSentAgain(t *testing.T) {
	s, q := newStore(t, func(_, token string) int {
		if token == "Bearer t1" {
			return http.StatusUnauthorized
		}
		return http.StatusNoContent
	}), newQueue()
	sender := newSender(t, s, q)
	start(t, sender)
	q.put(Live, "a")
	eventually(t, "acknowledged", func() bool { return slices.Contains(q.ended(), "a acknowledged") })
	if got := q.ended(); !slices.Equal(got, []string{"a released", "a acknowledged"}) {
		t.Errorf("got %v", got)
	}
	if health := sender.Health(); health.Failed != 0 {
		t.Errorf("a renewal counts as a failure: %+v", health)
	}
}

func TestARefusedPushIsDroppedAndTold(t *testing.T) {
	s, q := newStore(t, func(name, _ string) int {
		if name == "bad" {
			return http.StatusBadRequest
		}
		return http.StatusNoContent
	}), newQueue()
	sender := newSender(t, s, q)
	q.put(Live, "bad")
	start(t, sender)
	eventually(t, "rejected", func() bool { return sender.Health().Dropped == 1 })
	if problem := sender.Health().Problem; problem == nil || problem.Error()[:21] != "1 samples were droppe" {
		t.Errorf("got %v", problem)
	}
	q.put(Live, "good")
	eventually(t, "the next one", func() bool { return slices.Contains(q.ended(), "good acknowledged") })
}

func TestAnAnswerThatIsNot204IsNoAcknowledgement(t *testing.T) {
	s, q := newStore(t, func(string, string) int { return http.StatusOK }), newQueue()
	sender := newSender(t, s, q)
	q.put(Live, "a")
	start(t, sender)
	eventually(t, "a failure", func() bool { return sender.Health().Failed > 0 })
	if slices.Contains(q.ended(), "a acknowledged") {
		t.Error("a proxy's page was taken for the store")
	}
}

func TestFlushSendsWhatItCan(t *testing.T) {
	s, q := newStore(t, accept), newQueue()
	sender := newSender(t, s, q)
	q.put(Backlog, "old")
	q.put(Live, "new")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	sender.Flush(ctx) // perhaps before there is a token
	if _, err := sender.tokens.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	sender.Flush(ctx)
	if got := q.ended(); !slices.Equal(got, []string{"new acknowledged", "old acknowledged"}) {
		t.Errorf("got %v", got)
	}
	s.set(func(string, string) int { return http.StatusBadGateway })
	q.put(Live, "late")
	sender.Flush(ctx) // gives up at the first failure
	if got := q.ended(); got[len(got)-1] != "late failed" || len(got) != 3 {
		t.Errorf("got %v", got)
	}
}

func TestAStopInTheMiddleOfAPushReleasesIt(t *testing.T) {
	arrived, leave := make(chan struct{}), make(chan struct{})
	s, q := newStore(t, func(string, string) int {
		close(arrived)
		<-leave
		return http.StatusNoContent
	}), newQueue()
	sender := newSender(t, s, q)
	q.put(Live, "a")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); sender.Run(ctx) }()
	<-arrived
	cancel()
	<-done
	close(leave)
	if got := q.ended(); !slices.Equal(got, []string{"a released"}) {
		t.Errorf("got %v", got)
	}
}
