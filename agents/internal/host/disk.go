package host

// Reads /proc/diskstats: 11 counters a device; 4 more for discards since Linux
// 4.18 and 2 more for flushes since 5.5. Partitions of plain disks, loop and
// RAM devices are left out by node_exporter's default pattern.

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"leadline/agents/internal/model"
)

const (
	sectorBytes = 512
	// node_exporter multiplies by this; a division would differ in the last bit.
	secondsPerMillisecond = 1.0 / 1000.0
	// diskstats begins each line with major, minor and name.
	diskFirstCounter = 3
)

var diskExcluded = regexp.MustCompile(`^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\d+n\d+p)\d+$`)

// diskCounters are the columns after the name, in the kernel's order.
var diskCounters = [...]struct {
	metric string
	factor float64
}{
	{"node_disk_reads_completed_total", 1},
	{"node_disk_reads_merged_total", 1},
	{"node_disk_read_bytes_total", sectorBytes},
	{"node_disk_read_time_seconds_total", secondsPerMillisecond},
	{"node_disk_writes_completed_total", 1},
	{"node_disk_writes_merged_total", 1},
	{"node_disk_written_bytes_total", sectorBytes},
	{"node_disk_write_time_seconds_total", secondsPerMillisecond},
	{"node_disk_io_now", 1},
	{"node_disk_io_time_seconds_total", secondsPerMillisecond},
	{"node_disk_io_time_weighted_seconds_total", secondsPerMillisecond},
	{"node_disk_discards_completed_total", 1},
	{"node_disk_discards_merged_total", 1},
	{"node_disk_discarded_sectors_total", 1},
	{"node_disk_discard_time_seconds_total", secondsPerMillisecond},
	{"node_disk_flush_requests_total", 1},
	{"node_disk_flush_requests_time_seconds_total", secondsPerMillisecond},
}

type disk struct {
	excluded bool
	labels   []model.Label
	info     []model.Label
	infoRead time.Time
}

type disks struct {
	root      string
	diskstats file
	fields    [][]byte
	devices   labelled[*disk]
}

var _ model.Collector = (*disks)(nil)

func newDisks(root string) *disks {
	return &disks{root: root, diskstats: file{path: in(root, "proc/diskstats")}}
}

// Name is "disk".
func (d *disks) Name() string { return "disk" }

// Collect emits node_disk_* of every whole device.
func (d *disks) Collect(_ context.Context, emit model.Emit) error {
	content, err := d.diskstats.read()
	if err != nil {
		return fmt.Errorf("disks: %w", err)
	}
	for len(content) > 0 {
		var line []byte
		line, content = cutLine(content)
		d.fields = appendFields(d.fields[:0], line)
		if len(d.fields) <= diskFirstCounter {
			continue
		}
		d.emitDisk(emit)
	}
	d.devices.endPass()
	return nil
}

func (d *disks) emitDisk(emit model.Emit) {
	dev := d.devices.get(d.fields[2], func(name string) *disk {
		return &disk{excluded: diskExcluded.MatchString(name), labels: labelsOf("device", name)}
	})
	if dev.excluded {
		return
	}
	if time.Since(dev.infoRead) > diskInfoEvery {
		dev.info = d.readInfo(string(d.fields[0]), string(d.fields[1]), string(d.fields[2]))
		dev.infoRead = time.Now()
	}
	emit("node_disk_info", 1, dev.info...)
	for i, word := range d.fields[diskFirstCounter:] {
		if i >= len(diskCounters) {
			break
		}
		if value, ok := number(word); ok {
			emit(diskCounters[i].metric, value*diskCounters[i].factor, dev.labels...)
		}
	}
}
