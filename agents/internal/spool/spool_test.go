package spool

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_790_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// The tests' own zstd: set up once, it is not cheap.
var (
	testEncoder = sync.OnceValue(func() *zstd.Encoder {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err)
		}
		return encoder
	})
	testDecoder = sync.OnceValue(func() *zstd.Decoder {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return decoder
	})
)

// record is a pass whose payload tells its stamp.
func record(stampMS int64) Record {
	plain := binary.BigEndian.AppendUint64(nil, uint64(stampMS))
	return Record{StampMS: stampMS, Samples: 10, Payload: testEncoder().EncodeAll(plain, nil)}
}

// stamps tells which passes a payload holds.
func stamps(t testing.TB, payload []byte) []int64 {
	t.Helper()
	plain, err := testDecoder().DecodeAll(payload, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []int64
	for ; len(plain) >= 8; plain = plain[8:] {
		found = append(found, int64(binary.BigEndian.Uint64(plain)))
	}
	return found
}

func open(t testing.TB, options Options) *Spool {
	t.Helper()
	if options.MaxBytes == 0 {
		options.MaxBytes = 64 << 20
	}
	s, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(time.Second) })
	return s
}

func appendStamps(t testing.TB, s *Spool, all ...int64) {
	t.Helper()
	for _, stamp := range all {
		s.Append(record(stamp))
	}
}

func takeLive(t testing.TB, s *Spool) *Delivery {
	t.Helper()
	d, ok := s.Take(Live)
	if !ok {
		t.Fatal("the live lane is empty")
	}
	return d
}

// drain takes and acknowledges all of a lane and tells which passes went.
func drain(t testing.TB, s *Spool, lane Lane) []int64 {
	t.Helper()
	var gone []int64
	for {
		d, ok := s.Take(lane)
		if !ok {
			return gone
		}
		gone = append(gone, stamps(t, d.Payload())...)
		d.Acknowledge()
	}
}

func equal(t *testing.T, what string, got []int64, want ...int64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestAPassIsOnDiskBeforeItCanBeSent(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "spool")
	s := open(t, Options{Dir: folder})
	s.Append(record(1000))
	names := files(t, folder)
	if len(names) != 1 {
		t.Fatalf("files: %v", names)
	}
	info, err := os.Stat(filepath.Join(folder, names[0]))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the segment is %v, %v", info.Mode(), err)
	}
	d := takeLive(t, s)
	equal(t, "live", stamps(t, d.Payload()), 1000)
	if d.Samples() != 10 {
		t.Errorf("%d samples", d.Samples())
	}
	if _, again := s.Take(Live); again {
		t.Error("a segment on its way was given out again")
	}
}

func TestLiveSegmentsTravelTogetherInOrder(t *testing.T) {
	s := open(t, Options{Dir: t.TempDir()})
	appendStamps(t, s, 1000, 2000, 3000)
	equal(t, "live", stamps(t, takeLive(t, s).Payload()), 1000, 2000, 3000)
}

func TestAnAcknowledgedSegmentStaysForAMinute(t *testing.T) {
	folder, c := t.TempDir(), newClock()
	s := open(t, Options{Dir: folder, Now: c.Now})
	appendStamps(t, s, 1000)
	takeLive(t, s).Acknowledge()
	if stats := s.Stats(c.Now()); stats.Segments != 0 || stats.Bytes != 0 {
		t.Errorf("an acknowledged segment counts as waiting: %+v", stats)
	}
	c.forward(59 * time.Second)
	appendStamps(t, s, 2000)
	if n := len(files(t, folder)); n != 2 {
		t.Errorf("after 59 s: %d files", n)
	}
	c.forward(time.Second)
	appendStamps(t, s, 3000)
	s.Close(time.Second)
	names := files(t, folder)
	if len(names) != 2 || strings.Contains(names[0], "-1000-") {
		t.Errorf("after 60 s: %v", names)
	}
	equal(t, "counted as lost", []int64{int64(s.Stats(c.Now()).DroppedSamples)}, 0)
}

func TestAFailureSendsTheLastMinuteAgain(t *testing.T) {
	s := open(t, Options{Dir: t.TempDir()})
	appendStamps(t, s, 1000)
	takeLive(t, s).Acknowledge()
	appendStamps(t, s, 2000)
	takeLive(t, s).Fail()
	select {
	case <-s.Ready(Backlog):
	default:
		t.Error("nobody was told")
	}
	equal(t, "backlog", drain(t, s, Backlog), 1000, 2000)
	equal(t, "live", drain(t, s, Live))
}

func TestAReleaseSendsNothingAgain(t *testing.T) {
	s := open(t, Options{Dir: t.TempDir()})
	appendStamps(t, s, 1000)
	takeLive(t, s).Acknowledge()
	appendStamps(t, s, 2000)
	takeLive(t, s).Release()
	equal(t, "live", drain(t, s, Live), 2000)
	equal(t, "backlog", drain(t, s, Backlog))
}

func TestANewStoreGetsTheLastMinuteAgain(t *testing.T) {
	s := open(t, Options{Dir: t.TempDir()})
	s.StoreBoot("first")
	appendStamps(t, s, 1000)
	takeLive(t, s).Acknowledge()
	s.StoreBoot("first")
	s.StoreBoot("")
	equal(t, "same store", drain(t, s, Backlog))
	s.StoreBoot("second")
	equal(t, "new store", drain(t, s, Backlog), 1000)
}

func TestASegmentStaysUntilTheStoreIsSeenToHaveSurvived(t *testing.T) {
	folder, c := t.TempDir(), newClock()
	s := open(t, Options{Dir: folder, Now: c.Now})
	s.StoreBoot("first")
	appendStamps(t, s, 1000)
	takeLive(t, s).Acknowledge()
	c.forward(5 * time.Minute) // the server answers pushes but names no boot id
	appendStamps(t, s, 2000)
	if n := len(files(t, folder)); n != 2 {
		t.Fatalf("%d files", n)
	}
	s.StoreBoot("second")
	equal(t, "backlog", drain(t, s, Backlog), 1000)
}

func TestARestartSendsAllThatIsThere(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Dir: folder})
	appendStamps(t, s, 1000, 2000, 3000)
	d := takeLive(t, s)
	d.Acknowledge()
	appendStamps(t, s, 4000)

	restarted := open(t, Options{Dir: folder}) // s is not closed: its process was killed
	if last := restarted.LastStamp(); last != 4000 {
		t.Errorf("last stamp %d", last)
	}
	appendStamps(t, restarted, 5000)
	equal(t, "live first", drain(t, restarted, Live), 5000)
	equal(t, "backlog", drain(t, restarted, Backlog), 1000, 2000, 3000, 4000)
}

func TestAfterAnOutageTheNewestGoesFirst(t *testing.T) {
	s := open(t, Options{Dir: t.TempDir()})
	var all []int64
	for i := range int64(40) {
		all = append(all, (i+1)*1000)
	}
	appendStamps(t, s, all...)
	live := stamps(t, takeLive(t, s).Payload())
	equal(t, "live", live, all[len(all)-len(live):]...)
	if len(live) != pushSegments {
		t.Errorf("%d in one push", len(live))
	}
	equal(t, "no more live", drain(t, s, Live))
	equal(t, "backlog, oldest first", drain(t, s, Backlog), all[:len(all)-len(live)]...)
}

func TestARefusedSegmentIsFoundDroppedAndCounted(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Dir: folder})
	appendStamps(t, s, 1000, 2000, 3000)
	if dropped := takeLive(t, s).Reject(); dropped != 0 {
		t.Fatalf("%d samples dropped of a push whose bad segment is not known", dropped)
	}
	var kept []int64
	for {
		d, ok := s.Take(Live)
		if !ok {
			if d, ok = s.Take(Backlog); !ok {
				break
			}
		}
		found := stamps(t, d.Payload())
		if len(found) != 1 {
			t.Fatalf("%v travel together after a refusal", found)
		}
		if found[0] == 2000 {
			if dropped := d.Reject(); dropped != 10 {
				t.Errorf("%d samples dropped", dropped)
			}
			continue
		}
		kept = append(kept, found...)
		d.Acknowledge()
	}
	slices.Sort(kept)
	equal(t, "kept", kept, 1000, 3000)
	if stats := s.Stats(time.UnixMilli(3000)); stats.DroppedSamples != 10 || stats.Segments != 0 {
		t.Errorf("got %+v", stats)
	}
	s.Close(time.Second)
	if n := len(files(t, folder)); n != 2 {
		t.Errorf("%d files", n)
	}
}

func TestTheFolderIsBounded(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Dir: folder, MaxBytes: 3 * blockSize})
	appendStamps(t, s, 1000)
	takeLive(t, s).Acknowledge()
	appendStamps(t, s, 2000, 3000, 4000)
	if dropped := s.Stats(time.UnixMilli(4000)).DroppedSamples; dropped != 0 {
		t.Errorf("%d samples lost while an acknowledged segment could go", dropped)
	}
	appendStamps(t, s, 5000)
	stats := s.Stats(time.UnixMilli(5000))
	if stats.DroppedSamples != 10 || stats.Segments != 3 || stats.Bytes != 3*blockSize || stats.OldestAge != 2*time.Second {
		t.Errorf("got %+v", stats)
	}
	s.Close(time.Second)
	if n := len(files(t, folder)); n != 3 {
		t.Errorf("%d files", n)
	}
	smaller := open(t, Options{Dir: folder, MaxBytes: blockSize})
	equal(t, "after a restart with a smaller bound", drain(t, smaller, Backlog), 5000)
}

func TestADiskThatRefusesCostsNothingUntilMemoryIsFull(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "spool")
	if err := os.WriteFile(folder, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	size := int64(len(record(1000).Payload))
	s := open(t, Options{Dir: folder, MemoryBytes: 2 * size})
	appendStamps(t, s, 1000, 2000, 3000)
	stats := s.Stats(time.UnixMilli(3000))
	if stats.Problem == "" || stats.DroppedSamples != 10 || stats.Segments != 2 {
		t.Errorf("got %+v", stats)
	}
	equal(t, "sent from memory", stamps(t, takeLive(t, s).Payload()), 2000, 3000)
}

func TestADiskThatIsBackTakesWhatWasInMemory(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "spool")
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Dir: folder})
	appendStamps(t, s, 1000)
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	appendStamps(t, s, 2000)
	s.Close(time.Second)
	if n := len(files(t, folder)); n != 2 {
		t.Errorf("%d files", n)
	}
	if problem := s.Stats(time.UnixMilli(2000)).Problem; problem != "" {
		t.Error(problem)
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	folder := t.TempDir()
	names := []string{"README", "0000000000000001-5-5.seg", "x-1-1-1.seg", "0000000000000001-01-1-1.seg"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, Options{Dir: folder})
	if stats := s.Stats(time.UnixMilli(0)); stats.Segments != 0 {
		t.Errorf("got %+v", stats)
	}
	s.Close(time.Second)
	if got := files(t, folder); len(got) != len(names) {
		t.Errorf("left: %v", got)
	}
}

func TestAppendAfterCloseIsNothing(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Dir: folder})
	s.Close(time.Second)
	appendStamps(t, s, 1000)
	if names := files(t, folder); len(names) != 0 {
		t.Errorf("files: %v", names)
	}
}

func TestALongBacklogIsJoined(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Dir: folder})
	var all []int64
	for i := range int64(80) {
		all = append(all, 1_790_000_000_000+i*5000)
	}
	appendStamps(t, s, all...)
	takeLive(t, s).Fail()
	appendStamps(t, s, all[len(all)-1]+5000)
	s.Close(time.Second)
	var joined int
	for _, name := range files(t, folder) {
		if strings.HasSuffix(name, "-16.seg") {
			joined++
		}
	}
	if joined == 0 {
		t.Errorf("nothing was joined: %v", files(t, folder))
	}
	restarted := open(t, Options{Dir: folder})
	equal(t, "all of it", drain(t, restarted, Backlog), append(all, all[len(all)-1]+5000)...)
}

func TestTakeIsSafeFromManySides(t *testing.T) {
	s := open(t, Options{Dir: t.TempDir()})
	const writers, each = 4, 50
	var work sync.WaitGroup
	for w := range int64(writers) {
		work.Go(func() {
			for i := range int64(each) {
				s.Append(record(w*1_000_000 + i + 1))
			}
		})
	}
	var mu sync.Mutex
	seen := map[int64]int{}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for _, lane := range []Lane{Live, Backlog} {
		readers.Go(func() {
			for n := 0; ; n++ {
				d, ok := s.Take(lane)
				if !ok {
					select {
					case <-s.Ready(lane):
						continue
					case <-stop:
						return
					}
				}
				if n%5 == 0 {
					d.Release()
					continue
				}
				mu.Lock()
				for _, stamp := range stamps(t, d.Payload()) {
					seen[stamp]++
				}
				mu.Unlock()
				d.Acknowledge()
			}
		})
	}
	work.Wait()
	for s.Stats(time.UnixMilli(0)).Segments > 0 {
		time.Sleep(time.Millisecond) //nolint:forbidigo // the readers give no sign of their own
	}
	close(stop)
	readers.Wait()
	if len(seen) != writers*each {
		t.Errorf("%d of %d passes were seen", len(seen), writers*each)
	}
}

func TestTheNewestFileOfACrashMayBeTorn(t *testing.T) {
	whole := frame(record(2000).Payload)
	for cut := range len(whole) {
		folder := t.TempDir()
		s := open(t, Options{Dir: folder})
		appendStamps(t, s, 1000)
		torn := &entry{seq: 2, stampMS: 2000, samples: 10, passes: 1}
		if err := os.WriteFile(filepath.Join(folder, torn.fileName()), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		restarted := open(t, Options{Dir: folder})
		equal(t, "what was whole", drain(t, restarted, Backlog), 1000)
		if dropped := restarted.Stats(time.UnixMilli(2000)).DroppedSamples; dropped != 10 {
			t.Fatalf("cut at %d: %d samples counted as lost", cut, dropped)
		}
	}
}

func FuzzUnframe(f *testing.F) {
	f.Add(frame([]byte("payload")))
	f.Add([]byte(magic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		payload, err := unframe(data)
		if err == nil && !bytes.Equal(frame(payload), data) {
			t.Error("accepted what was never framed")
		}
	})
}

func FuzzParseName(f *testing.F) {
	f.Add("0000000000000001-1790000000000-208-1.seg")
	f.Add("0000000000000001-1790000000000-208.seg")
	f.Fuzz(func(t *testing.T, name string) {
		if e, ok := parseName(name); ok && e.fileName() != name {
			t.Errorf("%q is read as %q", name, e.fileName())
		}
	})
}

func FuzzMerge(f *testing.F) {
	f.Add(record(1000).Payload)
	f.Add([]byte{})
	merger, err := newMerger()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		good := record(2000).Payload
		merged, err := merger.merge([][]byte{payload, good})
		if err != nil {
			return
		}
		if plain, err := merger.decoder.DecodeAll(merged, nil); err != nil || len(plain) < 8 {
			t.Errorf("the joined segment holds %d bytes, %v", len(plain), err)
		}
	})
}
