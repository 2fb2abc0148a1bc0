package host

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"leadline/agents/internal/model"
)

var update = flag.Bool("update", false, "write testdata/expected.txt from what the readers give")

// collect runs one reader and returns its series in the text format, in order.
func collect(t *testing.T, c model.Collector) []string {
	t.Helper()
	var lines []string
	err := c.Collect(t.Context(), func(name string, value float64, labels ...model.Label) {
		lines = append(lines, line(name, value, labels))
	})
	if err != nil {
		t.Fatalf("%s: %v", c.Name(), err)
	}
	return lines
}

func line(name string, value float64, labels []model.Label) string {
	pairs := make([]string, 0, len(labels))
	for _, l := range labels {
		pairs = append(pairs, l.Name+"="+strconv.Quote(l.Value))
	}
	return fmt.Sprintf("%s{%s} %v", name, strings.Join(pairs, ","), value)
}

// fixture reads testdata/tree; its mounts are asked of a table, not the kernel.
func fixture() []model.Collector {
	readers := Collectors(filepath.Join("testdata", "tree"))
	for _, c := range readers {
		if f, ok := c.(*filesystems); ok {
			f.statfs = func(path string) usage {
				if strings.HasSuffix(path, "/run") {
					return usage{err: os.ErrPermission}
				}
				return usage{size: 1000, free: 500, avail: float64(len(path)), files: 20, filesFree: 10}
			}
		}
	}
	return readers
}

func TestCollectorsOnAFixtureTree(t *testing.T) {
	var got []string
	for _, c := range fixture() {
		if c.Name() != "time" && c.Name() != "uname" { // not read from the tree
			got = append(got, collect(t, c)...)
		}
	}
	text := strings.Join(got, "\n") + "\n"
	path := filepath.Join("testdata", "expected.txt")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("the readers give:\n%s\nwant:\n%s", text, want)
	}
}

func TestCollectorsOnThisMachine(t *testing.T) {
	series := map[string]bool{}
	names := map[string]bool{}
	for _, c := range Collectors("/") {
		if names[c.Name()] {
			t.Errorf("two readers are named %s", c.Name())
		}
		names[c.Name()] = true
		for _, l := range collect(t, c) {
			key := l[:strings.LastIndexByte(l, ' ')]
			if series[key] {
				t.Errorf("%s occurs twice in one pass", key)
			}
			series[key] = true
		}
	}
	for _, want := range []string{
		`node_cpu_seconds_total{cpu="0",mode="idle"}`, "node_memory_MemTotal_bytes{}", "node_load1{}",
		"node_boot_time_seconds{}", "node_time_seconds{}", "node_procs_running{}",
		`node_network_receive_bytes_total{device="lo"}`,
	} {
		if !series[want] {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestAMissingFileIsAnErrorThatNamesIt(t *testing.T) {
	for _, c := range Collectors(t.TempDir()) {
		if c.Name() == "time" || c.Name() == "uname" {
			continue
		}
		err := c.Collect(t.Context(), func(name string, _ float64, _ ...model.Label) {
			t.Errorf("%s emitted %s without its file", c.Name(), name)
		})
		if err == nil || !strings.Contains(err.Error(), "proc/") {
			t.Errorf("%s: error %v does not name its file", c.Name(), err)
		}
	}
}

func TestKnownNamesAreForgottenOnceTheyAreGone(t *testing.T) {
	var l labelled[int]
	for i := range 1000 {
		l.get([]byte(strconv.Itoa(i)), func(string) int { return i })
		l.endPass()
	}
	if len(l.known) > 70 {
		t.Errorf("%d names are kept of which 1 is alive", len(l.known))
	}
}

// A pass must not cost memory for what it already knows.
func TestASecondPassAllocatesLittle(t *testing.T) {
	for _, c := range fixture() {
		emit := func(string, float64, ...model.Label) {}
		if err := c.Collect(t.Context(), emit); err != nil {
			t.Fatal(err)
		}
		allocations := testing.AllocsPerRun(20, func() {
			if err := c.Collect(t.Context(), emit); err != nil {
				t.Error(err)
			}
		})
		limit := 6.0 // the open file
		if c.Name() == "filesystem" {
			limit = 40 // and a goroutine a mount
		}
		if allocations > limit {
			t.Errorf("%s allocates %v times a pass, more than %v", c.Name(), allocations, limit)
		}
	}
}

func TestLongFilesAreReadWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long")
	want := strings.Repeat("0123456789", 2000)
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
	f := file{path: path}
	for range 2 {
		got, err := f.read()
		if err != nil || string(got) != want {
			t.Fatalf("read %d bytes and error %v, want %d bytes", len(got), err, len(want))
		}
	}
}

func TestIdentity(t *testing.T) {
	got, err := Identity(filepath.Join("testdata", "tree"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Hostname != "db1" || got.MachineID != "0123456789abcdef0123456789abcdef" ||
		got.BootID != "1f6b6c1e-0000-4000-8000-000000000001" || got.OS != "linux" || got.Arch == "" {
		t.Errorf("Identity = %+v", got)
	}
	if _, err := Identity(t.TempDir()); err == nil {
		t.Error("a tree without a host name has an identity")
	}
}

func TestCPUTimesNeverStepBack(t *testing.T) {
	times := newCPUTimes("0")
	update := func(ticks string) { times.update(appendFields(nil, []byte(ticks))) }
	update("100 0 50 10000 10")
	update("99 0 51 9990 10")
	if times.values[0] != 1 || times.values[idleMode] != 100 || times.values[2] != 0.51 {
		t.Errorf("after a small step back: %v", times.values)
	}
	update("5 0 5 20 0")
	if times.values[0] != 0.05 || times.values[idleMode] != 0.2 {
		t.Errorf("after the CPU was unplugged: %v", times.values)
	}
}

func TestDiskInfoOfUdev(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "run", "udev", "data")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	udev := "S:disk/by-id/x\nE:ID_MODEL=Fast_Disk\nE:ID_SERIAL_SHORT=S1\nE:ID_WWN=0x5000\nE:ID_PATH=pci-0\nE:ID_REVISION=2B\n"
	if err := os.WriteFile(filepath.Join(dir, "b8:0"), []byte(udev), 0o600); err != nil {
		t.Fatal(err)
	}
	got := newDisks(root).readInfo("8", "0", "sda")
	want := labelsOf("device", "sda", "major", "8", "minor", "0", "path", "pci-0", "wwn", "0x5000",
		"model", "Fast_Disk", "serial", "S1", "revision", "2B")
	if !slices.Equal(got, want) {
		t.Errorf("readInfo = %v, want %v", got, want)
	}
}
