package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// A segment file is the magic, the CRC-32C of the payload, and the payload: a
// remote-write request compressed with zstd. Its name carries what the index
// needs, so that a start need not read every file.
const (
	magic      = "LLR1"
	headerSize = len(magic) + 4
	suffix     = ".seg"
	blockSize  = 4096 // a file occupies whole blocks; the bound is meant for the disk
)

var (
	errDamaged = errors.New("the segment is damaged")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// frame makes a segment file's content of a payload.
func frame(payload []byte) []byte {
	data := make([]byte, 0, headerSize+len(payload))
	data = append(data, magic...)
	data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(payload, castagnoli))
	return append(data, payload...)
}

// unframe gives the payload of a segment file, or errDamaged where a crash or
// the disk cut or changed it.
func unframe(data []byte) ([]byte, error) {
	if len(data) <= headerSize || string(data[:len(magic)]) != magic {
		return nil, errDamaged
	}
	payload := data[headerSize:]
	if binary.LittleEndian.Uint32(data[len(magic):]) != crc32.Checksum(payload, castagnoli) {
		return nil, errDamaged
	}
	return payload, nil
}

// fileName is "sequence-stamp-samples-passes.seg"; the sequence is fixed in
// width, so that names sort in the order of writing.
func (e *entry) fileName() string {
	return fmt.Sprintf("%016x-%d-%d-%d%s", e.seq, e.stampMS, e.samples, e.passes, suffix)
}

// parseName gives the entry that a file's name tells of; ok is false for a
// file that is no segment.
func parseName(name string) (e *entry, ok bool) {
	stem, isSegment := strings.CutSuffix(name, suffix)
	parts := strings.Split(stem, "-")
	if !isSegment || len(parts) != 4 {
		return nil, false
	}
	seq, seqErr := strconv.ParseUint(parts[0], 16, 64)
	stampMS, stampErr := strconv.ParseInt(parts[1], 10, 64)
	samples, samplesErr := strconv.Atoi(parts[2])
	passes, passesErr := strconv.Atoi(parts[3])
	if seqErr != nil || stampErr != nil || samplesErr != nil || passesErr != nil || stampMS < 0 || samples < 0 || passes < 1 {
		return nil, false
	}
	e = &entry{seq: seq, stampMS: stampMS, samples: samples, passes: passes, whole: passes > 1, lane: Backlog, ready: true}
	return e, e.fileName() == name
}

// occupied is what a file of that many bytes takes of the disk.
func occupied(size int64) int64 {
	return (size + blockSize - 1) / blockSize * blockSize
}
