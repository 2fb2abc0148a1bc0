package control

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"leadline/agents/internal/push"
)

// plane is a control plane whose generation a test moves.
type plane struct {
	*httptest.Server
	mu         sync.Mutex
	generation int64
	moved      chan struct{}
	holds      bool // polls wait, as they should
	failing    bool
	fetched    int
	polled     int
}

func newPlane(t *testing.T) (*plane, *push.Client) {
	t.Helper()
	p := &plane{generation: 1, moved: make(chan struct{}), holds: true}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	client, err := push.NewClient(p.URL, "lla_key", "0.1.0", "")
	if err != nil {
		t.Fatal(err)
	}
	return p, client
}

func (p *plane) move(generation int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.generation = generation
	close(p.moved)
	p.moved = make(chan struct{})
}

func (p *plane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if p.failing {
		p.fetched++
		p.mu.Unlock()
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if r.URL.Path == root+"desired" {
		p.fetched++
		_ = json.NewEncoder(w).Encode(map[string]any{"generation": p.generation})
		p.mu.Unlock()
		return
	}
	p.polled++
	asked := r.URL.Query().Get("generation")
	wait := p.holds && asked == strconv.FormatInt(p.generation, 10)
	moved := p.moved
	p.mu.Unlock()
	if wait {
		select {
		case <-moved:
		case <-r.Context().Done():
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"generation": p.generation, "commands": []any{}})
}

func (p *plane) counts() (fetched, polled int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetched, p.polled
}

// follow runs a follower and gives the generations it applied.
func follow(t *testing.T, client *push.Client) (*Follower, chan int64, chan error) {
	t.Helper()
	applied, troubles := make(chan int64, 100), make(chan error, 100)
	f := NewFollower(client, func(d Desired, raw []byte) {
		if !json.Valid(raw) {
			t.Errorf("raw is %q", raw)
		}
		applied <- d.Generation
	}, func(err error) { troubles <- err })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return f, applied, troubles
}

func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came in 10 s")
		panic("unreachable")
	}
}

func TestAChangeArrivesWithinASecond(t *testing.T) {
	p, client := newPlane(t)
	_, applied, troubles := follow(t, client)
	if got := next(t, applied); got != 1 {
		t.Fatalf("first generation %d", got)
	}
	if err := next(t, troubles); err != nil {
		t.Error(err)
	}
	started := time.Now()
	p.move(2)
	if got := next(t, applied); got != 2 {
		t.Fatalf("generation %d", got)
	}
	if took := time.Since(started); took > time.Second {
		t.Errorf("after %v", took)
	}
	if fetched, _ := p.counts(); fetched != 2 {
		t.Errorf("fetched %d times", fetched)
	}
}

func TestAGenerationNamedElsewhereIsFetched(t *testing.T) {
	p, client := newPlane(t)
	f, applied, _ := follow(t, client)
	next(t, applied)
	f.Notice(1) // known: nothing to do
	p.mu.Lock()
	p.generation = 2 // and no poll is woken
	p.mu.Unlock()
	f.Notice(2)
	if got := next(t, applied); got != 2 {
		t.Errorf("generation %d", got)
	}
}

func TestAServerThatHoldsNoPollIsNotAskedInALoop(t *testing.T) {
	p, client := newPlane(t)
	p.holds = false
	_, applied, _ := follow(t, client)
	next(t, applied)
	<-time.After(1500 * time.Millisecond) // the time in which a loop would show
	fetched, polled := p.counts()
	if fetched != 1 || polled > 17 {
		t.Errorf("fetched %d times, polled %d times in 1.5 s", fetched, polled)
	}
}

func TestAServerThatFailsIsAskedWithBackOff(t *testing.T) {
	p, client := newPlane(t)
	p.failing = true
	_, applied, troubles := follow(t, client)
	if err := next(t, troubles); err == nil {
		t.Error("no trouble is told")
	}
	<-time.After(time.Second)
	if fetched, _ := p.counts(); fetched > 11 {
		t.Errorf("asked %d times in a second", fetched)
	}
	p.mu.Lock()
	p.failing = false
	p.mu.Unlock()
	if got := next(t, applied); got != 1 {
		t.Errorf("generation %d", got)
	}
}

func TestReporterReportsAtOnceAndAtChanges(t *testing.T) {
	reports := make(chan StatusReport, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var report StatusReport
		if err := json.NewDecoder(r.Body).Decode(&report); err != nil {
			t.Error(err)
		}
		reports <- report
		_ = json.NewEncoder(w).Encode(StatusAnswer{Generation: report.Generation + 1})
	}))
	defer server.Close()
	client, err := push.NewClient(server.URL, "lla_key", "0.1.0", "")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	generation := int64(0)
	answers := make(chan StatusAnswer, 10)
	r := NewReporter(client, func() StatusReport {
		mu.Lock()
		defer mu.Unlock()
		generation++
		return StatusReport{Generation: generation}
	}, func(a StatusAnswer) { answers <- a }, func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	if got := next(t, reports).Generation; got != 1 {
		t.Errorf("first report %d", got)
	}
	if got := next(t, answers).Generation; got != 2 {
		t.Errorf("first answer %d", got)
	}
	for range 5 { // changes that come together travel together
		r.Changed()
	}
	next(t, reports)
	select {
	case extra := <-reports:
		t.Errorf("another report: %+v", extra)
	case <-time.After(time.Second):
	}
	cancel()
	<-done
}

func TestDesired(t *testing.T) {
	d, err := ParseDesired([]byte(`{"generation":3,"new_field":1,"intervals":{"host":10,"mysql":0.5,"odd":-1,"far":1e9},
		"services":[{"slug":"demo","password":"p","labels":{"cluster":"c"}},{"slug":"other","password":null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]time.Duration{"host": 10 * time.Second, "mysql": time.Second, "odd": 5 * time.Second, "far": 5 * time.Second, "none": 5 * time.Second} {
		if got := d.Interval(kind); got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
	if service, known := d.Service("demo"); !known || *service.Password != "p" || service.Labels["cluster"] != "c" {
		t.Errorf("got %+v", service)
	}
	if service, known := d.Service("other"); !known || service.Password != nil {
		t.Errorf("got %+v", service)
	}
	if _, known := d.Service("none"); known {
		t.Error("an unknown service is known")
	}
	if _, err := ParseDesired([]byte(`{"generation":"hunter2"`)); err == nil {
		t.Error("half a document was accepted")
	}
}
