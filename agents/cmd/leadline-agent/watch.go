package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"leadline/agents/internal/control"
	"leadline/agents/internal/model"
	"leadline/agents/internal/mysql"
)

// watch is the watching of one database server.
type watch struct {
	agent *agent
	end   context.CancelFunc

	mu      sync.Mutex
	service control.Service
	report  *control.ServiceReport

	// Only the watch's own goroutine looks at these.
	opened     control.Service
	server     *mysql.Server
	collectors []*supervised
}

// set changes what is watched, from the next pass on.
func (w *watch) set(service control.Service) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.service = service
}

// seen gives what the last pass found; ok is false before the first.
func (w *watch) seen() (report control.ServiceReport, ok bool) {
	if w == nil {
		return report, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.report == nil {
		return report, false
	}
	return *w.report, true
}

// run passes over the server on the grid of its interval. Whether the server is
// up is found out at once: a person may be waiting for it.
func (w *watch) run(ctx context.Context) {
	defer w.close()
	a := w.agent
	ticks := ticker{clock: a.clock, interval: func() time.Duration { return a.interval("mysql") }, lastMS: a.resumeMS}
	w.greet(ctx)
	for {
		stampMS, interval, ok := ticks.wait(ctx)
		if !ok {
			return
		}
		if a.revoked.Load() {
			w.close() // nothing is held that nobody wants
			continue
		}
		service := w.wanted()
		limited, cancel := context.WithTimeout(ctx, passTime(interval))
		samples, own, report := w.pass(limited, service)
		cancel()
		if ctx.Err() != nil {
			return // what a broken-off pass found is not the server's fault
		}
		a.store(stampMS,
			model.Batch{StampMS: stampMS, Labels: a.serviceLabels(service), Samples: samples},
			model.Batch{StampMS: stampMS, Labels: a.ownLabels(), Samples: own})
		w.conclude(report)
	}
}

// greet finds out whether the server is up, before the first pass.
func (w *watch) greet(ctx context.Context) {
	if w.agent.revoked.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, passTime(w.agent.interval("mysql")))
	defer cancel()
	report, _ := w.look(ctx, w.wanted())
	if !errors.Is(ctx.Err(), context.Canceled) {
		w.conclude(report)
	}
}

// look finds out whether the server is up and whether it can be read.
func (w *watch) look(ctx context.Context, service control.Service) (report control.ServiceReport, readable bool) {
	report = control.ServiceReport{Slug: service.Slug, State: "up", Engine: service.Engine}
	identity, err := w.probe(ctx, service)
	if err != nil {
		code, sentence := problemOf(err)
		report.Code, report.Error = &code, &sentence
	}
	// A server that tells its name is up and can be read, even where a grant is missing.
	if identity.Engine == "" {
		report.State = "down"
		return report, false
	}
	report.Engine, report.Version = identity.Engine, identity.Version
	return report, true
}

// pass looks whether the server is up and reads it. mysql_up is
// mysqld_exporter's: whether the server answers this account.
func (w *watch) pass(ctx context.Context, service control.Service) (samples, own []model.Sample, report control.ServiceReport) {
	started := time.Now()
	report, readable := w.look(ctx, service)
	took := time.Since(started)
	name := model.Label{Name: "service", Value: service.Slug}
	up := 0.0
	if readable {
		up = 1
		samples, own = w.agent.gather(service.Slug, w.collectors, pass(ctx, w.collectors), name)
	}
	// What connects is told of like a collector: it fails alone or takes all along.
	own = append(own, collectorSamples("connection", up, took, name)...)
	return append(samples, model.Sample{Name: "mysql_up", Value: up}), own, report
}

// wanted is what the desired state says of the service now.
func (w *watch) wanted() control.Service {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.service
}

// probe connects, anew where the desired state says so, and asks who is there.
func (w *watch) probe(ctx context.Context, service control.Service) (mysql.Identity, error) {
	if w.server != nil && !sameConnection(w.opened, service) {
		w.close()
	}
	if w.server == nil {
		server, err := mysql.Open(connection(w.agent.dir, service))
		if err != nil {
			return mysql.Identity{}, err
		}
		w.server, w.opened, w.collectors = server, service, supervise(server.Collectors())
	}
	return w.server.Probe(ctx)
}

func sameConnection(a, b control.Service) bool {
	samePassword := (a.Password == nil) == (b.Password == nil) && (a.Password == nil || *a.Password == *b.Password)
	return samePassword && a.Address == b.Address && a.User == b.User && a.TLS == b.TLS &&
		a.PasswordVersion == b.PasswordVersion && a.Epoch == b.Epoch
}

func (w *watch) close() {
	if w.server == nil {
		return
	}
	if err := w.server.Close(); err != nil {
		w.agent.log.Debug("A connection did not end well.", slog.String("service", w.opened.Slug), slog.String("error", err.Error()))
	}
	w.server, w.collectors = nil, nil
}

// conclude keeps what a pass found and tells of a change.
func (w *watch) conclude(report control.ServiceReport) {
	w.mu.Lock()
	before := w.report
	w.report = &report
	w.mu.Unlock()
	if before != nil && same(*before, report) {
		return
	}
	log := w.agent.log.With(slog.String("service", report.Slug))
	switch {
	case report.Error != nil:
		log.Warn("A service has a problem.", slog.String("code", *report.Code), slog.String("error", *report.Error))
	default:
		log.Info("A service is up.", slog.String("engine", report.Engine), slog.String("version", report.Version))
	}
	w.agent.noteChange()
}

func same(a, b control.ServiceReport) bool {
	return a.State == b.State && a.Engine == b.Engine && a.Version == b.Version &&
		text(a.Code) == text(b.Code) && text(a.Error) == text(b.Error)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func problemOf(err error) (code, sentence string) {
	var problem *mysql.Problem
	if errors.As(err, &problem) {
		return problem.Code, problem.Sentence
	}
	return mysql.CodeError, control.Sentence(err.Error())
}
