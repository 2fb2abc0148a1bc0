package host

// Reads /proc/stat: CPU time by mode, boot time, context switches, interrupts,
// forks, processes running and blocked. Guest time (Linux 2.6.33 and later) is
// part of user and nice time and reported apart, as node_exporter does.

import (
	"bytes"
	"context"
	"fmt"

	"leadline/agents/internal/model"
)

const (
	// ticksPerSecond is USER_HZ, 100 on every architecture that Go builds for.
	ticksPerSecond = 100
	// A CPU whose idle time jumps back by this many seconds was unplugged and
	// came back; smaller steps back are rounding in the kernel and are held.
	hotplugSeconds = 3
	idleMode       = 3
)

var (
	cpuModes   = [...]string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"}
	guestModes = [...]string{"user", "nice"}
)

type cpuTimes struct {
	values [len(cpuModes) + len(guestModes)]float64
	labels [len(cpuModes) + len(guestModes)][]model.Label
}

type cpu struct {
	stat   file
	fields [][]byte
	cpus   labelled[*cpuTimes]
}

var _ model.Collector = (*cpu)(nil)

func newCPU(root string) *cpu { return &cpu{stat: file{path: in(root, "proc/stat")}} }

// Name is "cpu".
func (c *cpu) Name() string { return "cpu" }

// Collect emits node_cpu_* and the counters of /proc/stat.
func (c *cpu) Collect(_ context.Context, emit model.Emit) error {
	content, err := c.stat.read()
	if err != nil {
		return fmt.Errorf("CPU times: %w", err)
	}
	for len(content) > 0 {
		var line []byte
		line, content = cutLine(content)
		c.fields = appendFields(c.fields[:0], line)
		if len(c.fields) < 2 {
			continue
		}
		if key := c.fields[0]; bytes.HasPrefix(key, []byte("cpu")) {
			if len(key) > len("cpu") {
				c.emitCPU(key[len("cpu"):], c.fields[1:], emit)
			}
			continue
		}
		emitStat(c.fields, emit)
	}
	c.cpus.endPass()
	return nil
}

func (c *cpu) emitCPU(name []byte, ticks [][]byte, emit model.Emit) {
	times := c.cpus.get(name, newCPUTimes)
	times.update(ticks)
	for i := range times.values {
		if i >= len(ticks) {
			break
		}
		metric := "node_cpu_seconds_total"
		if i >= len(cpuModes) {
			metric = "node_cpu_guest_seconds_total"
		}
		emit(metric, times.values[i], times.labels[i]...)
	}
}

func newCPUTimes(name string) *cpuTimes {
	times := &cpuTimes{}
	for i, mode := range cpuModes {
		times.labels[i] = labelsOf("cpu", name, "mode", mode)
	}
	for i, mode := range guestModes {
		times.labels[len(cpuModes)+i] = labelsOf("cpu", name, "mode", mode)
	}
	return times
}

// update takes new readings, holding each counter that would step back.
func (t *cpuTimes) update(ticks [][]byte) {
	var now [len(cpuModes) + len(guestModes)]float64
	for i := range now {
		if i < len(ticks) {
			n, _ := number(ticks[i])
			now[i] = n / ticksPerSecond
		}
	}
	if t.values[idleMode]-now[idleMode] >= hotplugSeconds {
		t.values = now
		return
	}
	for i := range now {
		t.values[i] = max(t.values[i], now[i])
	}
}

func emitStat(fields [][]byte, emit model.Emit) {
	value, ok := number(fields[1])
	if !ok {
		return
	}
	switch string(fields[0]) {
	case "btime":
		emit("node_boot_time_seconds", value)
	case "ctxt":
		emit("node_context_switches_total", value)
	case "intr":
		emit("node_intr_total", value)
	case "processes":
		emit("node_forks_total", value)
	case "procs_running":
		emit("node_procs_running", value)
	case "procs_blocked":
		emit("node_procs_blocked", value)
	}
}
