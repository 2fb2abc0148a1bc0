// Package model holds what one pass over a target saw. It knows no database,
// no file and no network, so that readers and senders can share it.
package model

import "context"

// Label is one name and value of a series.
type Label struct{ Name, Value string }

// Sample is one value of one series. Units are those of the metric's name
// (seconds, bytes); Name and Labels follow the Prometheus exporters.
type Sample struct {
	Name   string
	Labels []Label
	Value  float64
}

// Batch is one pass over one target, stamped in Unix milliseconds. Labels are
// the target's (job, node, instance, service and so on) and belong to every
// sample in it.
type Batch struct {
	StampMS int64
	Labels  []Label
	Samples []Sample
}

// Emit takes one sample from a collector. It may keep labels: a collector
// never changes a slice that it has handed over, and neither may Emit. It is
// called from one goroutine at a time.
type Emit func(name string, value float64, labels ...Label)

// Collector reads one thing. Name is short and fixed ("cpu",
// "global_status"). Collect emits what it can read and returns an error that
// says what it could not; a failing collector stops no other. One collector is
// asked by one goroutine at a time, different ones may run side by side.
type Collector interface {
	Name() string
	Collect(ctx context.Context, emit Emit) error
}
