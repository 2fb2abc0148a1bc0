package host

// Reads /proc/net/dev: 8 counters received and 8 transmitted an interface.
// node_exporter asks netlink and so has receive_nohandler_total as well, which
// this file does not hold.

import (
	"bytes"
	"context"
	"fmt"

	"leadline/agents/internal/model"
)

// networkCounters are the columns of /proc/net/dev after the name.
var networkCounters = [...]string{
	"node_network_receive_bytes_total",
	"node_network_receive_packets_total",
	"node_network_receive_errs_total",
	"node_network_receive_drop_total",
	"node_network_receive_fifo_total",
	"node_network_receive_frame_total",
	"node_network_receive_compressed_total",
	"node_network_receive_multicast_total",
	"node_network_transmit_bytes_total",
	"node_network_transmit_packets_total",
	"node_network_transmit_errs_total",
	"node_network_transmit_drop_total",
	"node_network_transmit_fifo_total",
	"node_network_transmit_colls_total",
	"node_network_transmit_carrier_total",
	"node_network_transmit_compressed_total",
}

type network struct {
	dev     file
	fields  [][]byte
	devices labelled[[]model.Label]
}

var _ model.Collector = (*network)(nil)

func newNetwork(root string) *network {
	return &network{dev: file{path: in(root, "proc/net/dev")}}
}

// Name is "network".
func (n *network) Name() string { return "network" }

// Collect emits node_network_receive_* and node_network_transmit_*.
func (n *network) Collect(_ context.Context, emit model.Emit) error {
	content, err := n.dev.read()
	if err != nil {
		return fmt.Errorf("network: %w", err)
	}
	for len(content) > 0 {
		var line []byte
		line, content = cutLine(content)
		// An alias ("eth0:1") has a colon of its own; the two head lines have none.
		colon := bytes.LastIndexByte(line, ':')
		if colon < 0 {
			continue
		}
		n.fields = appendFields(n.fields[:0], line[colon+1:])
		labels := n.devices.get(bytes.TrimSpace(line[:colon]), func(name string) []model.Label {
			return labelsOf("device", validLabel(name))
		})
		for i, word := range n.fields {
			if i >= len(networkCounters) {
				break
			}
			if value, ok := number(word); ok {
				emit(networkCounters[i], value, labels...)
			}
		}
	}
	n.devices.endPass()
	return nil
}
