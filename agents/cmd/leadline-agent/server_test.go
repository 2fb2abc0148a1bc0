package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"leadline/agents/internal/control"
)

// leadline is a small Leadline server: enough of it for an agent to live.
type leadline struct {
	*httptest.Server
	t  *testing.T
	mu sync.Mutex

	desired  control.Desired
	moved    chan struct{}
	refuse   map[string]string // path -> code of a 401
	down     bool              // the store answers 503
	tokens   []control.TokenRequest
	reports  []control.StatusReport
	plain    []string // what was pushed, unpacked
	services []control.ServiceRequest
	enrols   []control.EnrolRequest
}

func newLeadline(t *testing.T) *leadline {
	t.Helper()
	l := &leadline{t: t, moved: make(chan struct{}), refuse: map[string]string{}}
	l.desired = control.Desired{Generation: 1, Intervals: map[string]float64{"host": 1, "mysql": 1}, Services: []control.Service{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/agent/v1/enrol", l.enrol)
	mux.HandleFunc("POST /api/agent/v1/token", l.token)
	mux.HandleFunc("GET /api/agent/v1/desired", l.tellDesired)
	mux.HandleFunc("GET /api/agent/v1/commands", l.commands)
	mux.HandleFunc("POST /api/agent/v1/status", l.status)
	mux.HandleFunc("POST /api/agent/v1/services", l.register)
	mux.HandleFunc("DELETE /api/agent/v1/services/{slug}", l.remove)
	mux.HandleFunc("POST /ingest/api/v1/write", l.write)
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		code := l.refuse[r.URL.Path]
		l.mu.Unlock()
		if r.Header.Get("Leadline-Protocol") != "1" {
			t.Errorf("%s without a protocol", r.URL.Path)
		}
		if code != "" {
			problem(w, http.StatusUnauthorized, code)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { l.CloseClientConnections(); l.Close() })
	return l
}

func problem(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"code": code, "detail": "The server says " + code + "."})
}

func (l *leadline) read(r *http.Request, into any) {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		l.t.Errorf("%s: %v", r.URL.Path, err)
	}
}

func (l *leadline) enrol(w http.ResponseWriter, r *http.Request) {
	var request control.EnrolRequest
	l.read(r, &request)
	if request.Token != "lle_right" {
		problem(w, http.StatusUnauthorized, "enrolment_token_unknown")
		return
	}
	l.mu.Lock()
	l.enrols = append(l.enrols, request)
	l.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(control.Enrolled{AgentID: "agent", Key: "lla_secret", Org: "org", Node: request.Node.Slug})
}

func (l *leadline) token(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var request control.TokenRequest
	l.read(r, &request)
	l.tokens = append(l.tokens, request)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"token": "jwt", "expires_in": 600, "server_time": float64(time.Now().UnixMicro()) / 1e6, "store_boot_id": "boot", "generation": l.desired.Generation,
	})
}

func (l *leadline) tellDesired(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = json.NewEncoder(w).Encode(l.desired)
}

func (l *leadline) commands(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	moved, current := l.moved, l.desired.Generation
	l.mu.Unlock()
	if r.URL.Query().Get("generation") == jsonNumber(current) {
		select {
		case <-moved:
		case <-r.Context().Done():
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"generation": l.desired.Generation, "commands": []any{}})
}

func jsonNumber(n int64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func (l *leadline) status(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var report control.StatusReport
	l.read(r, &report)
	l.reports = append(l.reports, report)
	_ = json.NewEncoder(w).Encode(control.StatusAnswer{Generation: l.desired.Generation, StoreBootID: "boot"})
}

func (l *leadline) register(w http.ResponseWriter, r *http.Request) {
	var request control.ServiceRequest
	l.read(r, &request)
	service := control.Service{
		Slug: request.Slug, Name: request.Name, Engine: request.Engine, Address: request.Address, User: request.User,
		TLS: request.TLS, Labels: request.Labels, Epoch: 1,
	}
	l.mu.Lock()
	l.services = append(l.services, request)
	l.mu.Unlock()
	l.change(func(d *control.Desired) { d.Services = append(d.Services, service) })
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(service)
}

func (l *leadline) remove(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	found := false
	l.change(func(d *control.Desired) {
		kept := []control.Service{}
		for _, s := range d.Services {
			found = found || s.Slug == slug
			if s.Slug != slug {
				kept = append(kept, s)
			}
		}
		d.Services = kept
	})
	if !found {
		problem(w, http.StatusNotFound, "not_found")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (l *leadline) write(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		l.t.Error(err)
		return
	}
	defer decoder.Close()
	plain, err := decoder.DecodeAll(body, nil)
	if err != nil {
		l.t.Errorf("a push cannot be unpacked: %v", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	l.plain = append(l.plain, string(plain))
	w.WriteHeader(http.StatusNoContent)
}

// change moves the desired state on and wakes who waits for it.
func (l *leadline) change(what func(*control.Desired)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	what(&l.desired)
	l.desired.Generation++
	close(l.moved)
	l.moved = make(chan struct{})
}

func (l *leadline) set(what func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	what()
}

// pushed tells whether text stands in what was pushed.
func (l *leadline) pushed(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, plain := range l.plain {
		if strings.Contains(plain, text) {
			return true
		}
	}
	return false
}

// reported gives the last report about the service demo.
func (l *leadline) reported() (report control.ServiceReport, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.reports) == 0 {
		return report, false
	}
	for _, s := range l.reports[len(l.reports)-1].Services {
		if s.Slug == "demo" {
			return s, true
		}
	}
	return report, false
}

func eventually(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !isTrue() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}
