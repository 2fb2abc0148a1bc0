package main

import (
	"context"
	"time"

	"leadline/agents/internal/control"
	"leadline/agents/internal/push"
	"leadline/agents/internal/state"
)

// serverPatience is how long a command that only shows waits for the server.
const serverPatience = 5 * time.Second

// desiredNow asks the server what this agent watches; where it cannot, it
// gives what the agent knew last, together with the reason.
func desiredNow(ctx context.Context, dir *state.Dir, client *push.Client) (control.Desired, error) {
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	desired, _, problem := control.FetchDesired(ctx, client)
	if problem == nil {
		return desired, nil
	}
	if raw, err := dir.Desired(); err == nil && raw != nil {
		if known, err := control.ParseDesired(raw); err == nil {
			return known, problem
		}
	}
	return control.Desired{}, problem
}

// serviceRow is a service as list and status show it.
type serviceRow struct {
	Slug    string  `json:"slug"`
	Engine  string  `json:"engine"`
	Address string  `json:"address"`
	User    string  `json:"user"`
	Version string  `json:"version"`
	State   string  `json:"state"` // up, down or waiting
	Code    *string `json:"code"`
	Error   *string `json:"error"`
}

// serviceRows joins what is desired with what the running agent saw. With no
// running agent nothing is known of a service: it waits.
func serviceRows(desired control.Desired, seen state.Status, running bool) []serviceRow {
	reports := map[string]state.ServiceStatus{}
	if running {
		for _, report := range seen.Services {
			reports[report.Slug] = report
		}
	}
	rows := make([]serviceRow, 0, len(desired.Services))
	for _, service := range desired.Services {
		row := serviceRow{Slug: service.Slug, Engine: service.Engine, Address: service.Address, User: service.User, State: "waiting"}
		if report, known := reports[service.Slug]; known {
			row.State, row.Code, row.Error, row.Version = report.State, report.Code, report.Error, report.Version
		}
		rows = append(rows, row)
	}
	return rows
}
