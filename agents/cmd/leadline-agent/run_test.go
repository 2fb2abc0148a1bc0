package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/agents/internal/control"
	"leadline/agents/internal/push"
	"leadline/agents/internal/spool"
	"leadline/agents/internal/state"
)

func serviceAt(address string) func(*control.Desired) {
	return func(d *control.Desired) {
		d.Services = append(d.Services, control.Service{
			Slug: "demo", Name: "demo", Engine: "mariadb", Address: address, User: "leadline", TLS: "preferred",
			Labels: map[string]string{"cluster": "orders", "environment": "production"}, Epoch: 1,
		})
	}
}

// keepPassword stores a password as add mysql would.
func (s *shell) keepPassword(slug string) {
	s.t.Helper()
	dir, err := state.Open(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := dir.SaveService(slug, state.Service{Password: "s3cret-pw"}); err != nil {
		s.t.Fatal(err)
	}
}

// segments counts the spool's files.
func (s *shell) segments() int {
	names, _ := os.ReadDir(filepath.Join(s.dir, "spool"))
	return len(names)
}

// journal is where a running agent logs to.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Contains(j.text.String(), text)
}

// runAgent runs an agent until stop is called; stop waits for its end.
func (s *shell) runAgent() (stop func(), log *journal) {
	s.t.Helper()
	dir, err := state.Open(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	identity, err := dir.Identity()
	if err != nil {
		s.t.Fatal(err)
	}
	client, err := push.NewClient(identity.Server, identity.Key, version, "")
	if err != nil {
		s.t.Fatal(err)
	}
	f := newFlags("run")
	if _, err := f.parse(&cli{getenv: func(name string) string { return s.env[name] }}, []string{"--state-dir", s.dir}); err != nil {
		s.t.Fatal(err)
	}
	release, err := dir.Lock(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	place, err := dir.Place("boot")
	if err != nil {
		s.t.Fatal(err)
	}
	instance, err := dir.NextInstance(place)
	if err != nil {
		s.t.Fatal(err)
	}
	log = &journal{}
	a, err := newAgent(dir, identity, instance, client, f.settings, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); a.run(ctx, func() {}) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			<-done
			_ = release()
		})
	}
	s.t.Cleanup(stop)
	return stop, log
}

func TestTheAgentWatchesItsHost(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	l.desired.Node.Labels = map[string]string{"environment": "production"}
	s.enrolled(l)
	stop, log := s.runAgent()
	eventually(t, "host metrics", func() bool { return l.pushed("node_load1") })
	for _, text := range []string{"leadline_agent_info", "leadline_collector_success", "leadline_agent_resident_memory_bytes", "leadline_agent_pushes_total", "leadline_agent_clock_offset_seconds"} {
		eventually(t, text, func() bool { return l.pushed(text) })
	}
	if !l.pushed("environment\x12\nproduction") {
		t.Error("the node's environment is missing")
	}
	eventually(t, "a report", func() bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.reports) > 0 })
	report := l.reports[0]
	if report.Instance != l.tokens[0].Instance || report.ClockOffset == nil || report.StartedAt == 0 {
		t.Errorf("got %+v", report)
	}
	if l.tokens[0].Previous == nil || *l.tokens[0].Previous != l.enrols[0].Instance {
		t.Errorf("got %+v, enrolled as %s", l.tokens[0], l.enrols[0].Instance)
	}
	s.expect(exitFailed, "Another leadline-agent is running from this state directory", "", "run")
	s.expect(exitOK, "running as node db1", "", "status")
	stop()
	s.expect(exitOK, "not running", "", "status")
	if log.has("lla_secret") || log.has("level=WARN") {
		t.Errorf("the log: %s", log.text.String())
	}
}

func TestADatabaseThatIsDownIsShownAndTold(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.enrolled(l)
	s.runAgent()
	eventually(t, "the agent follows", func() bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.reports) > 0 })
	s.keepPassword("demo")
	started := time.Now()
	l.change(serviceAt("127.0.0.1:1"))
	eventually(t, "the problem is told", func() bool { _, found := l.reported(); return found })
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("told after %v", took)
	}
	report, _ := l.reported()
	if report.State != "down" || *report.Code != "unreachable" || !strings.HasPrefix(*report.Error, "Nothing listens at 127.0.0.1:1") {
		t.Errorf("got %+v", report)
	}
	eventually(t, "mysql_up is sent all the same", func() bool { return l.pushed("mysql_up") })
	s.expect(exitOK, "down. Nothing listens at 127.0.0.1:1", "", "status")

	l.change(func(d *control.Desired) { d.Services = nil })
	eventually(t, "the service is gone", func() bool {
		_, found := l.reported()
		return !found
	})
}

func TestNothingIsLostInAnOutage(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.enrolled(l)
	l.set(func() { l.down = true })
	stop, log := s.runAgent()
	eventually(t, "a failure is logged", func() bool { return log.has("A push failed.") })
	eventually(t, "some passes wait", func() bool { return s.segments() >= 3 })
	if out := s.expect(exitOK, "503 Service Unavailable", "", "status"); strings.Contains(out, "nothing\n") {
		t.Errorf("nothing waits: %s", out)
	}
	stop()
	waiting := s.segments()
	if waiting < 3 {
		t.Fatalf("%d segments", waiting)
	}
	l.set(func() { l.down = false })
	_, log = s.runAgent()
	eventually(t, "pushes arrive", func() bool { return l.pushed("node_load1") })
	eventually(t, "all of the backlog is sent", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		var passes int
		for _, plain := range l.plain {
			passes += strings.Count(plain, "node_load15")
		}
		return passes >= waiting
	})
	if log.has("A push failed.") {
		t.Error("a push failed after the outage")
	}
}

func TestARestartGoesOnWithoutTheServer(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.enrolled(l)
	s.keepPassword("demo")
	l.change(serviceAt("127.0.0.1:1"))
	stop, _ := s.runAgent()
	eventually(t, "the service is known", func() bool { _, found := l.reported(); return found })
	stop()
	l.CloseClientConnections()
	l.Close()
	before := s.segments()
	stop, log := s.runAgent()
	eventually(t, "the service is watched", func() bool { return log.has("Nothing listens at 127.0.0.1:1") })
	eventually(t, "a pass is kept", func() bool { return s.segments() > before })
	stop()
	dir, err := state.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := spool.Open(spool.Options{Dir: dir.Path("spool"), MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close(time.Second)
	if kept.Stats(time.Now()).Segments == 0 {
		t.Error("nothing was collected")
	}
}

func TestARevokedAgentWatchesNothing(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.enrolled(l)
	l.set(func() { l.refuse["/api/agent/v1/token"] = "agent_revoked" })
	stop, log := s.runAgent()
	eventually(t, "it is logged", func() bool { return log.has("This agent was revoked on the Leadline server.") })
	eventually(t, "it is shown", func() bool {
		_, out, _ := s.run("", "status")
		return strings.Contains(out, "This agent was revoked on the Leadline server.")
	})
	<-time.After(1500 * time.Millisecond) // a pass would have come
	stop()
	if passes := s.segments(); passes > 1 {
		t.Errorf("%d passes were made", passes)
	}
}

func TestARevocationIsNoticedWhileATokenIsStillGood(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.enrolled(l)
	_, log := s.runAgent()
	eventually(t, "it runs", func() bool { return l.pushed("node_load1") })
	l.set(func() {
		for _, path := range []string{"token", "desired", "commands", "status"} {
			l.refuse["/api/agent/v1/"+path] = "agent_revoked"
		}
	})
	l.change(func(*control.Desired) {}) // wakes the poll
	eventually(t, "it is logged", func() bool { return log.has("This agent was revoked on the Leadline server.") })
}
