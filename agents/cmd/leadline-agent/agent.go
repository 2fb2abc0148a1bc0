package main

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"leadline/agents/internal/config"
	"leadline/agents/internal/control"
	"leadline/agents/internal/model"
	"leadline/agents/internal/push"
	"leadline/agents/internal/spool"
	"leadline/agents/internal/state"
)

// firstAnswer is how long the first pass waits for the server's time. A stamp
// is worth more than its last digit, so not long.
const firstAnswer = 3 * time.Second

// agent is the running agent: the one place where readers, spool, sender and
// control meet.
type agent struct {
	dir      *state.Dir
	identity state.Identity
	settings config.Settings
	log      *slog.Logger

	client   *push.Client
	clock    *push.Clock
	encoder  *push.Encoder
	spool    *spool.Spool
	tokens   *push.Tokens
	sender   *push.Sender
	follower *control.Follower
	reporter *control.Reporter

	instance  state.Instance
	confirmed bool // the server has accepted the instance; only the token loop looks at it
	started   time.Time
	resumeMS  int64       // stamps of this process are later
	revoked   atomic.Bool // the server wants nothing from this agent any more
	counted   uint64      // samples that earlier processes dropped

	changed  chan struct{} // wakes the writer of the status file
	followed chan struct{} // closed when the desired state was first fetched, or could not be
	first    sync.Once

	mu       sync.Mutex
	desired  control.Desired
	problem  string // why the server refuses, one sentence
	services map[string]*watch
	watching context.Context //nolint:containedctx // the life of targets that the desired state starts
	targets  sync.WaitGroup
	stopping bool // no target starts any more
}

func newAgent(dir *state.Dir, identity state.Identity, instance state.Instance, client *push.Client, settings config.Settings, log *slog.Logger) (*agent, error) {
	encoder, err := push.NewEncoder()
	if err != nil {
		return nil, err
	}
	store, err := spool.Open(spool.Options{Dir: dir.Path("spool"), MaxBytes: settings.SpoolBytes})
	if err != nil {
		return nil, err
	}
	a := &agent{
		dir: dir, identity: identity, settings: settings, log: log, client: client, clock: push.NewClock(nil),
		encoder: encoder, spool: store, instance: instance, resumeMS: store.LastStamp(),
		changed: make(chan struct{}, 1), followed: make(chan struct{}), services: map[string]*watch{},
	}
	a.started = a.clock.Now()
	if before, found, err := dir.Status(); err == nil && found {
		a.counted = before.Spool.DroppedSamples
	}
	a.tokens = push.NewTokens(a.clock, a.askToken, a.tokenAnswered, a.noteServer)
	a.sender = push.NewSender(client, a.tokens, lanes{store}, a.noteSender)
	a.follower = control.NewFollower(client, a.apply, a.noteFetch)
	a.reporter = control.NewReporter(client, a.report, a.reportAnswered, func(err error) { a.noteTrouble("status", err) })
	return a, nil
}

// run watches until the context ends, then sends what it can. stopped is
// called when the end has been noticed, so that a second signal ends the
// process at once.
func (a *agent) run(ctx context.Context, stopped func()) {
	talking, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	var loops sync.WaitGroup
	loops.Go(func() { a.tokens.Run(talking) })
	loops.Go(func() { a.sender.Run(ctx) })
	a.recall(ctx)
	loops.Go(func() { a.follower.Run(ctx) })
	a.awaitServer(ctx)
	a.targets.Go(func() { a.watchHost(ctx) })
	loops.Go(func() { a.reportWhenKnown(ctx) })
	loops.Go(func() { a.keepStatus(ctx) })

	<-ctx.Done()
	stopped()
	a.log.Info("Stopping.")
	a.mu.Lock()
	a.stopping = true
	a.mu.Unlock()
	flushing, cancel := context.WithTimeout(talking, flushPatience)
	defer cancel()
	a.targets.Wait()
	a.sender.Flush(flushing)
	hangUp()
	loops.Wait()
	a.spool.Close(time.Second)
	a.saveStatus()
}

// awaitServer gives the server a moment to tell its time and the intervals.
func (a *agent) awaitServer(ctx context.Context) {
	patience := time.NewTimer(firstAnswer)
	defer patience.Stop()
	for _, told := range []<-chan struct{}{a.tokens.Tried(), a.followed} {
		select {
		case <-told:
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// recall starts the watching of the services known from before.
func (a *agent) recall(ctx context.Context) {
	a.mu.Lock()
	a.watching = ctx
	a.mu.Unlock()
	if raw, err := a.dir.Desired(); err == nil && raw != nil {
		if desired, err := control.ParseDesired(raw); err == nil {
			a.take(desired) //nolint:contextcheck // the targets live as long as the agent, under a.watching
		}
	}
}

// apply takes in a desired state that the server gave.
func (a *agent) apply(desired control.Desired, raw []byte) {
	a.take(desired)
	if err := a.dir.SaveDesired(raw); err != nil {
		a.log.Warn("The desired state cannot be kept.", slog.String("error", err.Error()))
	}
	a.noteChange()
}

// take starts, changes and stops the watching of services.
func (a *agent) take(desired control.Desired) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopping {
		return
	}
	a.desired = desired
	for _, service := range desired.Services {
		if known := a.services[service.Slug]; known != nil {
			known.set(service)
			continue
		}
		ctx, cancel := context.WithCancel(a.watching)
		w := &watch{agent: a, end: cancel}
		w.set(service)
		a.services[service.Slug] = w
		a.log.Info("Watching a service.", slog.String("service", service.Slug), slog.String("address", service.Address))
		a.targets.Go(func() { w.run(ctx) })
	}
	for slug, w := range a.services {
		if _, wanted := desired.Service(slug); !wanted {
			a.log.Info("No longer watching a service.", slog.String("service", slug))
			w.end()
			delete(a.services, slug)
		}
	}
}

// interval gives the time between two passes over a kind of target.
func (a *agent) interval(kind string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.desired.Interval(kind)
}

// store encodes a pass and hands it to the spool.
func (a *agent) store(stampMS int64, batches ...model.Batch) {
	payload, samples := a.encoder.Encode(batches...)
	if samples > 0 {
		a.spool.Append(spool.Record{StampMS: stampMS, Samples: samples, Payload: payload})
	}
}

// lanes shows a spool to the sender.
type lanes struct{ spool *spool.Spool }

func (l lanes) Take(lane push.Lane) (push.Delivery, bool) {
	delivery, ok := l.spool.Take(spoolLane(lane))
	return delivery, ok
}

func (l lanes) Ready(lane push.Lane) <-chan struct{} { return l.spool.Ready(spoolLane(lane)) }

func spoolLane(lane push.Lane) spool.Lane {
	if lane == push.Live {
		return spool.Live
	}
	return spool.Backlog
}
