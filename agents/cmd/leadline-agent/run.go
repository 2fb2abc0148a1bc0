package main

import (
	"context"
	"fmt"
	"log/slog"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"leadline/agents/internal/host"
	"leadline/agents/internal/state"
)

// flushPatience is how long a stopping agent tries to send what waits.
const flushPatience = 5 * time.Second

func (c *cli) run(ctx context.Context, args []string) error {
	f := newFlags("run")
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) > 0 {
		return usage("run takes no argument.")
	}
	dir, identity, client, err := f.enrolled()
	if err != nil {
		return err
	}
	if dir.Foreign() {
		return failed("The state directory %s belongs to another user: run the agent as that user, not as root.", dir.Path())
	}
	release, err := dir.Lock(ctx)
	if err != nil {
		return err
	}
	defer release() //nolint:errcheck // the lock ends with the process
	machine, err := host.Identity(f.settings.HostRoot)
	if err != nil {
		return failed("This host cannot be identified: %s.", err)
	}
	instance, err := nextInstance(dir, machine)
	if err != nil {
		return err
	}
	// A small heap that is collected often: the host's memory is the database's.
	debug.SetGCPercent(gcPercent)
	log := slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: f.settings.LogLevel}))
	a, err := newAgent(dir, identity, instance, client, f.settings, log)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log.Info("Watching.", slog.String("node", identity.Node), slog.String("server", identity.Server), slog.String("version", version))
	a.run(ctx, stop)
	log.Info("Stopped.")
	return nil
}

const gcPercent = 50

// nextInstance names this process to the server, on disk before it is used.
func nextInstance(dir *state.Dir, machine host.Machine) (state.Instance, error) {
	place, err := dir.Place(machine.BootID)
	if err != nil {
		return state.Instance{}, fmt.Errorf("this process cannot be named: %w", err)
	}
	return dir.NextInstance(place)
}
