package push

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"leadline/agents/internal/model"
)

// Field numbers and wire types of prometheus.WriteRequest, version 1.
const (
	tagTimeSeries  = 1<<3 | 2
	tagLabel       = 1<<3 | 2
	tagSample      = 2<<3 | 2
	tagLabelName   = 1<<3 | 2
	tagLabelValue  = 2<<3 | 2
	tagSampleValue = 1<<3 | 1
	tagSampleStamp = 2 << 3

	nameLabel = "__name__"
	// clash marks a collector's label that bears a name the agent sets itself.
	clash = "exported_"
)

// Encoder writes batches as compressed remote-write requests. It is safe for
// concurrent use.
type Encoder struct {
	mu     sync.Mutex
	zstd   *zstd.Encoder
	plain  []byte
	series []byte
	labels []model.Label
}

// NewEncoder makes an encoder.
func NewEncoder() (*Encoder, error) {
	// The window is larger than a request, so a smaller one would cost size and
	// a larger one memory.
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("zstd cannot be set up: %w", err)
	}
	return &Encoder{zstd: z}, nil
}

// Encode gives one request of all the batches and the number of samples in it.
// Samples that are not a number are left out: the store keeps none either.
func (e *Encoder) Encode(batches ...model.Batch) (payload []byte, samples int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.plain = e.plain[:0]
	for _, batch := range batches {
		for _, sample := range batch.Samples {
			if math.IsNaN(sample.Value) {
				continue
			}
			e.append(batch, sample)
			samples++
		}
	}
	return e.zstd.EncodeAll(e.plain, nil), samples
}

func (e *Encoder) append(batch model.Batch, sample model.Sample) {
	e.sortedLabels(batch.Labels, sample)
	e.series = e.series[:0]
	for _, label := range e.labels {
		e.series = append(e.series, tagLabel)
		e.series = binary.AppendUvarint(e.series, uint64(stringSize(label.Name)+stringSize(label.Value))) //nolint:gosec // a size, never negative
		e.series = appendString(e.series, tagLabelName, label.Name)
		e.series = appendString(e.series, tagLabelValue, label.Value)
	}
	e.series = append(e.series, tagSample)
	stamp := uint64(batch.StampMS)                                              //nolint:gosec // protobuf's int64 is the two's complement
	e.series = binary.AppendUvarint(e.series, uint64(1+8+1+uvarintSize(stamp))) //nolint:gosec // a size, never negative
	e.series = append(e.series, tagSampleValue)
	e.series = binary.LittleEndian.AppendUint64(e.series, math.Float64bits(sample.Value))
	e.series = append(e.series, tagSampleStamp)
	e.series = binary.AppendUvarint(e.series, stamp)

	e.plain = append(e.plain, tagTimeSeries)
	e.plain = binary.AppendUvarint(e.plain, uint64(len(e.series)))
	e.plain = append(e.plain, e.series...)
}

// sortedLabels fills e.labels with the series' labels, sorted by name as remote
// write demands. Empty ones are left out; the target's own win.
func (e *Encoder) sortedLabels(target []model.Label, sample model.Sample) {
	e.labels = append(e.labels[:0], model.Label{Name: nameLabel, Value: sample.Name})
	for _, label := range target {
		if label.Value != "" {
			e.labels = append(e.labels, label)
		}
	}
	own := len(e.labels)
	for _, label := range sample.Labels {
		if label.Value == "" {
			continue
		}
		label.Value = strings.ToValidUTF8(label.Value, "\uFFFD")
		if slices.ContainsFunc(e.labels[:own], func(l model.Label) bool { return l.Name == label.Name }) {
			label.Name = clash + label.Name
		}
		e.labels = append(e.labels, label)
	}
	slices.SortFunc(e.labels, func(a, b model.Label) int { return strings.Compare(a.Name, b.Name) })
}

func appendString(to []byte, tag byte, s string) []byte {
	to = append(to, tag)
	to = binary.AppendUvarint(to, uint64(len(s)))
	return append(to, s...)
}

func stringSize(s string) int { return 1 + uvarintSize(uint64(len(s))) + len(s) }

func uvarintSize(v uint64) int {
	size := 1
	for v >= 0x80 {
		v >>= 7
		size++
	}
	return size
}
