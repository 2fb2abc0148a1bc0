package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"leadline/agents/internal/model"
)

// ownSamples is what the agent tells of itself.
func (a *agent) ownSamples() []model.Sample {
	stats, health := a.spool.Stats(a.clock.Now()), a.sender.Health()
	samples := []model.Sample{
		{Name: "leadline_agent_info", Labels: []model.Label{{Name: "version", Value: version}}, Value: 1},
		{Name: "leadline_agent_start_time_seconds", Value: unixSeconds(a.started)},
		{Name: "leadline_agent_spool_bytes", Value: float64(stats.Bytes)},
		{Name: "leadline_agent_spool_segments", Value: float64(stats.Segments)},
		{Name: "leadline_agent_dropped_samples_total", Value: float64(a.counted + stats.DroppedSamples)},
	}
	for result, count := range map[string]uint64{"ok": health.OK, "failed": health.Failed, "dropped": health.Dropped} {
		samples = append(samples, model.Sample{
			Name: "leadline_agent_pushes_total", Labels: []model.Label{{Name: "result", Value: result}}, Value: float64(count),
		})
	}
	if offset, known := a.clock.Offset(); known {
		samples = append(samples, model.Sample{Name: "leadline_agent_clock_offset_seconds", Value: offset.Seconds()})
	}
	if bytes, ok := residentBytes(); ok {
		samples = append(samples, model.Sample{Name: "leadline_agent_resident_memory_bytes", Value: bytes})
	}
	if seconds, ok := cpuSeconds(); ok {
		samples = append(samples, model.Sample{Name: "leadline_agent_cpu_seconds_total", Value: seconds})
	}
	return samples
}

// residentBytes reads the second field of /proc/self/statm, in pages.
func residentBytes() (float64, bool) {
	data, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	return pages * float64(os.Getpagesize()), err == nil
}

// cpuSeconds is user and system time of this process.
func cpuSeconds() (float64, bool) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, false
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(used.Utime) + seconds(used.Stime), true
}
