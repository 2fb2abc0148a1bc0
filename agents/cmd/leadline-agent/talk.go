package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"leadline/agents/internal/control"
	"leadline/agents/internal/push"
	"leadline/agents/internal/state"
)

// statusEvery is how old the status file gets at most.
const statusEvery = 5 * time.Second

// askToken asks for a token as this process.
func (a *agent) askToken(ctx context.Context) (push.TokenAnswer, error) {
	request := control.TokenRequest{Instance: a.instance.ID, Place: a.instance.Place}
	if a.instance.Previous != "" {
		request.Previous = &a.instance.Previous
	}
	return control.Token(ctx, a.client, request)
}

// tokenAnswered takes in what came with a token.
func (a *agent) tokenAnswered(answer push.TokenAnswer) {
	if !a.confirmed {
		if err := a.dir.ConfirmInstance(a.instance); err != nil {
			a.log.Warn("The state directory cannot be written.", slog.String("error", err.Error()))
		} else {
			a.confirmed = true
			a.log.Info("The server accepts this agent.", slog.String("instance", a.instance.ID))
		}
	}
	a.spool.StoreBoot(answer.StoreBootID)
	a.follower.Notice(answer.Generation)
}

// noteServer hears that the server began or ceased to refuse a token.
func (a *agent) noteServer() {
	err := a.tokens.Problem()
	a.revoked.Store(control.CodeOf(err) == control.CodeRevoked)
	a.mu.Lock()
	a.problem = ""
	if err != nil {
		a.problem = control.Sentence(err.Error())
	}
	problem := a.problem
	a.mu.Unlock()
	if problem != "" {
		a.log.Warn("The server gives no token.", slog.String("error", problem))
	} else {
		a.log.Info("The server gives tokens.")
	}
	a.noteChange()
}

// noteSender hears that pushes began or ceased to fail.
func (a *agent) noteSender() {
	if problem := a.sender.Health().Problem; problem != nil {
		a.log.Warn("A push failed.", slog.String("error", problem.Error()))
	} else {
		a.log.Info("Pushes get through.")
	}
	a.noteChange()
}

// noteFetch hears of each fetch of the desired state.
func (a *agent) noteFetch(err error) {
	a.first.Do(func() { close(a.followed) })
	a.noteTrouble("desired state", err)
}

// noteTrouble logs what a loop met. The token loop tells the same person the
// same thing louder, so this is for those who look closer; but where the server
// has turned against this agent, the token loop is to find out now.
func (a *agent) noteTrouble(what string, err error) {
	if err == nil {
		return
	}
	a.log.Debug("A request failed.", slog.String("request", what), slog.String("error", err.Error()))
	switch control.CodeOf(err) {
	case control.CodeRevoked, control.CodeKeyUnknown, control.CodeSecondInstance:
		a.tokens.Renew()
	}
}

// noteChange asks for a report and a status file soon.
func (a *agent) noteChange() {
	a.reporter.Changed()
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// reportWhenKnown reports once the server has accepted this process: before,
// it would take the report for one of a second instance.
func (a *agent) reportWhenKnown(ctx context.Context) {
	if _, err := a.tokens.Wait(ctx); err == nil {
		a.reporter.Run(ctx)
	}
}

// report is what the agent says of itself now.
func (a *agent) report() control.StatusReport {
	stats := a.spool.Stats(a.clock.Now())
	report := control.StatusReport{
		Instance: a.instance.ID, StartedAt: unixSeconds(a.started), Services: []control.ServiceReport{},
		Spool: control.SpoolReport{
			Bytes: stats.Bytes, Segments: stats.Segments, OldestAgeSeconds: stats.OldestAge.Seconds(),
			DroppedSamples: a.counted + stats.DroppedSamples,
		},
	}
	if offset, known := a.clock.Offset(); known {
		seconds := offset.Seconds()
		report.ClockOffset = &seconds
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	report.Generation = a.desired.Generation
	for _, service := range a.desired.Services {
		if seen, ok := a.services[service.Slug].seen(); ok {
			report.Services = append(report.Services, seen)
		}
	}
	return report
}

func (a *agent) reportAnswered(answer control.StatusAnswer) {
	a.spool.StoreBoot(answer.StoreBootID)
	a.follower.Notice(answer.Generation)
}

// keepStatus writes the status file every 5 s and at each change.
func (a *agent) keepStatus(ctx context.Context) {
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	for {
		a.saveStatus()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-a.changed:
		}
	}
}

func (a *agent) saveStatus() {
	report, health := a.report(), a.sender.Health()
	status := state.Status{
		Version: version, PID: os.Getpid(), StartedAt: report.StartedAt, WrittenAt: unixSeconds(time.Now()),
		ClockOffset: report.ClockOffset,
		Spool: state.Spool{
			Bytes: report.Spool.Bytes, Segments: report.Spool.Segments, OldestAgeSeconds: report.Spool.OldestAgeSeconds,
			DroppedSamples: report.Spool.DroppedSamples, Problem: a.spool.Stats(a.clock.Now()).Problem,
		},
		Services: []state.ServiceStatus{},
	}
	if !health.LastPush.IsZero() {
		status.LastPushAt = unixSeconds(health.LastPush)
	}
	if health.Problem != nil {
		status.PushProblem = control.Sentence(health.Problem.Error())
	}
	a.mu.Lock()
	status.Problem = a.problem
	for _, seen := range report.Services {
		service, _ := a.desired.Service(seen.Slug)
		status.Services = append(status.Services, state.ServiceStatus{
			Slug: seen.Slug, Address: service.Address, Engine: seen.Engine, Version: seen.Version,
			State: seen.State, Code: seen.Code, Error: seen.Error,
		})
	}
	a.mu.Unlock()
	if err := a.dir.SaveStatus(status); err != nil {
		a.log.Debug("The status file cannot be written.", slog.String("error", err.Error()))
	}
}
