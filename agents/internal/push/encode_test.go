package push

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"leadline/agents/internal/model"
)

// reader reads protobuf, independent of the code that writes it.
type reader struct {
	t    *testing.T
	data []byte
}

func (r *reader) varint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.t.Fatal("a varint is cut")
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) bytes() []byte {
	size := r.varint()
	if uint64(len(r.data)) < size {
		r.t.Fatal("a field is cut")
	}
	field := r.data[:size]
	r.data = r.data[size:]
	return field
}

// decode gives each series as "name=value,… value@stamp".
func decode(t *testing.T, payload []byte) []string {
	t.Helper()
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	plain, err := z.DecodeAll(payload, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for request := (&reader{t, plain}); len(request.data) > 0; {
		if key := request.varint(); key != 1<<3|2 {
			t.Fatalf("field %x in WriteRequest", key)
		}
		var text strings.Builder
		for series := (&reader{t, request.bytes()}); len(series.data) > 0; {
			switch key := series.varint(); key {
			case 1<<3 | 2:
				label := &reader{t, series.bytes()}
				var parts [2]string
				for len(label.data) > 0 {
					parts[label.varint()>>3-1] = string(label.bytes())
				}
				text.WriteString(parts[0] + "=" + parts[1] + ",")
			case 2<<3 | 2:
				sample := &reader{t, series.bytes()}
				if sample.varint() != 1<<3|1 {
					t.Fatal("the value is missing")
				}
				value := math.Float64frombits(binary.LittleEndian.Uint64(sample.data))
				sample.data = sample.data[8:]
				if sample.varint() != 2<<3 {
					t.Fatal("the stamp is missing")
				}
				fmt.Fprintf(&text, " %v@%d", value, int64(sample.varint()))
			default:
				t.Fatalf("field %x in TimeSeries", key)
			}
		}
		all = append(all, text.String())
	}
	return all
}

func newEncoder(t *testing.T) *Encoder {
	t.Helper()
	e, err := NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEncodeWritesRemoteWrite(t *testing.T) {
	labels := func(pairs ...string) (out []model.Label) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, model.Label{Name: pairs[i], Value: pairs[i+1]})
		}
		return out
	}
	e := newEncoder(t)
	payload, samples := e.Encode(
		model.Batch{StampMS: 1_790_000_000_000, Labels: labels("node", "db1", "job", "node", "environment", ""), Samples: []model.Sample{
			{Name: "node_load1", Value: 0.5},
			{Name: "node_cpu_seconds_total", Labels: labels("mode", "idle", "cpu", "0"), Value: 12345.67},
			{Name: "not_a_number", Value: math.NaN()},
			{Name: "infinite", Value: math.Inf(1)},
			{Name: "clash", Labels: labels("node", "other", "empty", "", "broken", "a\xffb"), Value: -1},
		}},
		model.Batch{StampMS: 1_790_000_005_000, Labels: labels("job", "mysql"), Samples: []model.Sample{{Name: "mysql_up", Value: 1}}},
	)
	want := []string{
		"__name__=node_load1,job=node,node=db1, 0.5@1790000000000",
		"__name__=node_cpu_seconds_total,cpu=0,job=node,mode=idle,node=db1, 12345.67@1790000000000",
		"__name__=infinite,job=node,node=db1, +Inf@1790000000000",
		"__name__=clash,broken=a\uFFFDb,exported_node=other,job=node,node=db1, -1@1790000000000",
		"__name__=mysql_up,job=mysql, 1@1790000005000",
	}
	if got := decode(t, payload); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if samples != len(want) {
		t.Errorf("%d samples counted", samples)
	}
	if _, samples := e.Encode(); samples != 0 {
		t.Error("nothing is something")
	}
}

func BenchmarkEncode(b *testing.B) {
	e, err := NewEncoder()
	if err != nil {
		b.Fatal(err)
	}
	batch := model.Batch{StampMS: 1, Labels: []model.Label{{Name: "node", Value: "db1"}, {Name: "job", Value: "mysql"}}}
	for i := range 1000 {
		batch.Samples = append(batch.Samples, model.Sample{Name: fmt.Sprintf("mysql_global_status_number_%d", i), Value: float64(i * 7919)})
	}
	b.ReportAllocs()
	for b.Loop() {
		e.Encode(batch)
	}
}
