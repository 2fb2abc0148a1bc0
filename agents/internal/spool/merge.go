package spool

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxPlain bounds what one compressed segment may unpack to: ours are below
// 1 MiB, a damaged or planted one must not eat the host's memory.
const maxPlain = 16 << 20

var errTooLarge = errors.New("the segment unpacks to more than 16 MiB")

// merger joins segments. Remote-write requests joined end to end are one
// request, because protobuf appends repeated fields.
type merger struct {
	mu      sync.Mutex
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newMerger() (*merger, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("zstd cannot be set up: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		return nil, fmt.Errorf("zstd cannot be set up: %w", err)
	}
	return &merger{encoder: encoder, decoder: decoder}, nil
}

func (m *merger) merge(payloads [][]byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var plain []byte
	for _, payload := range payloads {
		var err error
		if plain, err = m.decoder.DecodeAll(payload, plain); err != nil {
			return nil, fmt.Errorf("a segment cannot be unpacked: %w", err)
		}
		if len(plain) > maxPlain {
			return nil, errTooLarge
		}
	}
	return m.encoder.EncodeAll(plain, nil), nil
}
