package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"leadline/agents/internal/control"
	"leadline/agents/internal/state"
)

// statusDocument is what status --json prints.
type statusDocument struct {
	Version   string        `json:"version"`
	Node      string        `json:"node"`
	StateDir  string        `json:"state_dir"`
	Running   bool          `json:"running"`
	Server    serverStatus  `json:"server"`
	Agent     *state.Status `json:"agent"` // what the running agent wrote last; null when none runs
	LastPush  *float64      `json:"last_push_age_seconds"`
	Services  []serviceRow  `json:"services"`
	generated time.Time
	startLine string
	addLine   string
}

type serverStatus struct {
	Address string  `json:"address"`
	OK      bool    `json:"ok"`
	Error   *string `json:"error"`
}

func (c *cli) status(ctx context.Context, args []string) error {
	f := newFlags("status")
	asJSON := f.Bool("json", false, "")
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) > 0 {
		return usage("status takes no argument.")
	}
	dir, identity, client, err := f.enrolled()
	if err != nil {
		return err
	}
	running, err := dir.Running()
	if err != nil {
		return err
	}
	seen, found, err := dir.Status()
	if err != nil {
		return err
	}
	desired, problem := desiredNow(ctx, dir, client)
	now := time.Now()
	document := statusDocument{
		Version: version, Node: identity.Node, StateDir: dir.Path(), Running: running, generated: now,
		startLine: f.again("run"), addLine: f.again("add mysql --name SLUG --address HOST:PORT --user USER"),
		Server:   serverStatus{Address: identity.Server, OK: problem == nil, Error: optional(problem)},
		Services: serviceRows(desired, seen, running),
	}
	if running && found {
		document.Agent = &seen
		if seen.LastPushAt > 0 {
			age := unixSeconds(now) - seen.LastPushAt
			document.LastPush = &age
		}
	}
	if *asJSON {
		return c.writeJSON(document)
	}
	return c.printStatus(document)
}

func (c *cli) printStatus(d statusDocument) error {
	return c.table(func(table *tabwriter.Writer) {
		if d.Running {
			fmt.Fprintf(table, "agent\t%s\n", agentLine(d))
		} else {
			fmt.Fprintf(table, "agent\tnot running from %s. Start it: %s\n", d.StateDir, d.startLine)
		}
		if d.Server.OK {
			fmt.Fprintf(table, "server\t%s, reachable\n", d.Server.Address)
		} else {
			fmt.Fprintf(table, "server\t%s\n", *d.Server.Error)
		}
		if d.Agent != nil {
			printAgent(table, d)
		}
		if len(d.Services) == 0 {
			fmt.Fprintln(table, "services\tnone. Add one: "+d.addLine)
			return
		}
		fmt.Fprintf(table, "services\t%d\n", len(d.Services))
		for _, row := range d.Services {
			fmt.Fprintf(table, "  %s\t%s\n", row.Slug, serviceLine(row))
		}
	})
}

func agentLine(d statusDocument) string {
	line := "running as node " + d.Node
	if d.Agent == nil {
		return line + ", just started"
	}
	line += fmt.Sprintf(", process %d, version %s, for %s", d.Agent.PID, d.Agent.Version, age(d.generated, d.Agent.StartedAt))
	if d.Agent.Problem != "" && d.Server.OK {
		line += ". " + d.Agent.Problem
	}
	return line
}

func printAgent(table *tabwriter.Writer, d statusDocument) {
	push := "none yet"
	if d.Agent.LastPushAt > 0 {
		push = age(d.generated, d.Agent.LastPushAt) + " ago"
	}
	if d.Agent.PushProblem != "" {
		push += ". " + control.Sentence(d.Agent.PushProblem)
	}
	fmt.Fprintf(table, "last push\t%s\n", push)
	fmt.Fprintf(table, "waiting\t%s\n", spoolLine(d.Agent.Spool))
	fmt.Fprintf(table, "clock\t%s\n", clockLine(d.Agent.ClockOffset))
}

func spoolLine(spool state.Spool) string {
	line := "nothing"
	if spool.Segments > 0 {
		line = fmt.Sprintf("%s, %.1f kB, the oldest %s old", counted(spool.Segments, "segment"), float64(spool.Bytes)/1000,
			time.Duration(spool.OldestAgeSeconds*float64(time.Second)).Round(time.Second))
	}
	if spool.DroppedSamples > 0 {
		line += fmt.Sprintf("; %d samples had to be dropped", spool.DroppedSamples)
	}
	if spool.Problem != "" {
		line += ". " + spool.Problem
	}
	return line
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func clockLine(offset *float64) string {
	if offset == nil {
		return "not compared with the server's yet"
	}
	milliseconds := *offset * 1000
	switch {
	case milliseconds > 1:
		return fmt.Sprintf("%.0f ms behind the server's; stamps are corrected", milliseconds)
	case milliseconds < -1:
		return fmt.Sprintf("%.0f ms ahead of the server's; stamps are corrected", -milliseconds)
	}
	return "agrees with the server's"
}

func serviceLine(row serviceRow) string {
	switch {
	case row.State == "waiting":
		return "waiting for the running agent's first pass over " + row.Address
	case row.Error != nil:
		return row.State + ". " + *row.Error
	}
	return fmt.Sprintf("%s, %s %s at %s", row.State, engineName(row.Engine), row.Version, row.Address)
}

func age(now time.Time, unix float64) string {
	return time.Duration((unixSeconds(now) - unix) * float64(time.Second)).Round(time.Second).String()
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
