package host

// Reads uname(2).

import (
	"context"
	"fmt"
	"syscall"

	"leadline/agents/internal/model"
)

type uname struct {
	last   syscall.Utsname
	labels []model.Label
}

var _ model.Collector = (*uname)(nil)

func newUname() *uname { return &uname{} }

// Name is "uname".
func (u *uname) Name() string { return "uname" }

// Collect emits node_uname_info.
func (u *uname) Collect(_ context.Context, emit model.Emit) error {
	var now syscall.Utsname
	if err := syscall.Uname(&now); err != nil {
		return fmt.Errorf("uname: %w", err)
	}
	if u.labels == nil || now != u.last {
		u.last = now
		u.labels = labelsOf("sysname", text(now.Sysname[:]), "release", text(now.Release[:]),
			"version", text(now.Version[:]), "machine", text(now.Machine[:]),
			"nodename", text(now.Nodename[:]), "domainname", text(now.Domainname[:]))
	}
	emit("node_uname_info", 1, u.labels...)
	return nil
}

// text reads a C string; its characters are signed on some architectures.
func text[C int8 | uint8](chars []C) string {
	out := make([]byte, 0, len(chars))
	for _, c := range chars {
		if c == 0 {
			break
		}
		out = append(out, byte(c))
	}
	return validLabel(string(out))
}
