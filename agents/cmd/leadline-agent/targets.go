package main

import (
	"context"
	"time"

	"leadline/agents/internal/control"
	"leadline/agents/internal/host"
	"leadline/agents/internal/model"
)

// passShare is the part of an interval that a pass may take; the rest is for
// encoding and storing it before the next one begins.
const passShare = 0.8

// watchHost passes over the host on the grid of its interval.
func (a *agent) watchHost(ctx context.Context) {
	collectors := supervise(host.Collectors(a.settings.HostRoot))
	ticks := ticker{clock: a.clock, interval: func() time.Duration { return a.interval("host") }, lastMS: a.resumeMS}
	for {
		stampMS, interval, ok := ticks.wait(ctx)
		if !ok {
			return
		}
		if a.revoked.Load() {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, passTime(interval))
		readings := pass(limited, collectors)
		cancel()
		if ctx.Err() != nil {
			return // what a broken-off pass found is no truth about the host
		}
		samples, own := a.gather("host", collectors, readings)
		own = append(own, a.ownSamples()...)
		a.store(stampMS,
			model.Batch{StampMS: stampMS, Labels: a.hostLabels(), Samples: samples},
			model.Batch{StampMS: stampMS, Labels: a.ownLabels(), Samples: own})
	}
}

func passTime(interval time.Duration) time.Duration {
	return time.Duration(float64(interval) * passShare)
}

// gather joins the readings of a pass and tells how each collector did; more
// labels go to what is told of the collectors.
func (a *agent) gather(target string, collectors []*supervised, readings []reading, more ...model.Label) (samples, own []model.Sample) {
	for i, r := range readings {
		collectors[i].note(a.log, target, r.err)
		samples = append(samples, r.samples...)
		success := 1.0
		if r.err != nil {
			success = 0
		}
		own = append(own, collectorSamples(collectors[i].Name(), success, r.took, more...)...)
	}
	return samples, own
}

// collectorSamples tell how a collector did: success is 1 or 0.
func collectorSamples(name string, success float64, took time.Duration, more ...model.Label) []model.Sample {
	labels := append([]model.Label{{Name: "collector", Value: name}}, more...)
	return []model.Sample{
		{Name: "leadline_collector_success", Labels: labels, Value: success},
		{Name: "leadline_collector_seconds", Labels: labels, Value: took.Seconds()},
	}
}

func (a *agent) hostLabels() []model.Label {
	a.mu.Lock()
	defer a.mu.Unlock()
	return []model.Label{
		{Name: "node", Value: a.identity.Node},
		{Name: "instance", Value: a.identity.Node},
		{Name: "job", Value: "node"},
		{Name: "environment", Value: a.desired.Node.Labels["environment"]},
	}
}

func (a *agent) ownLabels() []model.Label {
	return []model.Label{
		{Name: "node", Value: a.identity.Node},
		{Name: "instance", Value: a.identity.Node},
		{Name: "job", Value: "leadline"},
	}
}

func (a *agent) serviceLabels(service control.Service) []model.Label {
	return []model.Label{
		{Name: "node", Value: a.identity.Node},
		{Name: "service", Value: service.Slug},
		{Name: "instance", Value: service.Slug},
		{Name: "job", Value: "mysql"},
		{Name: "engine", Value: service.Engine},
		{Name: "cluster", Value: service.Labels["cluster"]},
		{Name: "replication_set", Value: service.Labels["replication_set"]},
		{Name: "environment", Value: service.Labels["environment"]},
	}
}
