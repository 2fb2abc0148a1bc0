package host

// Reads /proc/meminfo: every line is a series, in bytes where the kernel gives
// kB. Which lines there are depends on the kernel's version and settings.

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"leadline/agents/internal/model"
)

type memory struct {
	meminfo file
	fields  [][]byte
	names   labelled[string]
}

var _ model.Collector = (*memory)(nil)

func newMemory(root string) *memory {
	return &memory{meminfo: file{path: in(root, "proc/meminfo")}}
}

// Name is "memory".
func (m *memory) Name() string { return "memory" }

// Collect emits node_memory_*_bytes, and the huge page counts without unit.
func (m *memory) Collect(_ context.Context, emit model.Emit) error {
	content, err := m.meminfo.read()
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	for len(content) > 0 {
		var line []byte
		line, content = cutLine(content)
		m.fields = appendFields(m.fields[:0], line)
		if len(m.fields) < 2 {
			continue
		}
		value, ok := number(m.fields[1])
		if !ok {
			continue
		}
		key := bytes.TrimSuffix(m.fields[0], []byte(":"))
		if len(m.fields) == 2 {
			emit(m.names.get(key, memoryCount), value)
			continue
		}
		emit(m.names.get(key, memoryBytes), value*1024)
	}
	m.names.endPass()
	return nil
}

func memoryCount(key string) string { return "node_memory_" + memoryName(key) }

func memoryBytes(key string) string { return "node_memory_" + memoryName(key) + "_bytes" }

// memoryName turns "Active(anon)" into "Active_anon".
func memoryName(key string) string {
	return strings.NewReplacer("(", "_", ")", "").Replace(key)
}
