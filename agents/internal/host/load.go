package host

// Reads /proc/loadavg.

import (
	"context"
	"errors"
	"fmt"

	"leadline/agents/internal/model"
)

var loadMetrics = [...]string{"node_load1", "node_load5", "node_load15"}

var errLoadShape = errors.New("/proc/loadavg does not begin with three numbers")

type load struct {
	loadavg file
	fields  [][]byte
}

var _ model.Collector = (*load)(nil)

func newLoad(root string) *load { return &load{loadavg: file{path: in(root, "proc/loadavg")}} }

// Name is "load".
func (l *load) Name() string { return "load" }

// Collect emits node_load1, node_load5 and node_load15.
func (l *load) Collect(_ context.Context, emit model.Emit) error {
	content, err := l.loadavg.read()
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	line, _ := cutLine(content)
	l.fields = appendFields(l.fields[:0], line)
	if len(l.fields) < len(loadMetrics) {
		return errLoadShape
	}
	for i, metric := range loadMetrics {
		value, ok := number(l.fields[i])
		if !ok {
			return errLoadShape
		}
		emit(metric, value)
	}
	return nil
}
