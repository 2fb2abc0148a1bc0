package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Status is what the running agent last saw, for the status command. Times
// are Unix seconds; 0 means never.
type Status struct {
	Version     string          `json:"version"`
	PID         int             `json:"pid"`
	StartedAt   float64         `json:"started_at"`
	WrittenAt   float64         `json:"written_at"`
	Problem     string          `json:"problem,omitempty"` // why the server refuses or cannot be reached, one sentence
	LastPushAt  float64         `json:"last_push_at"`
	PushProblem string          `json:"push_problem,omitempty"`
	ClockOffset *float64        `json:"clock_offset_seconds"` // nil until the server has told its time
	Spool       Spool           `json:"spool"`
	Services    []ServiceStatus `json:"services"`
}

// Spool is what waits to be sent.
type Spool struct {
	Bytes            int64   `json:"bytes"`
	Segments         int     `json:"segments"`
	OldestAgeSeconds float64 `json:"oldest_age_seconds"`
	DroppedSamples   uint64  `json:"dropped_samples"`
	Problem          string  `json:"problem,omitempty"` // why the disk is not used, one sentence
}

// ServiceStatus is what the last pass over a service found.
type ServiceStatus struct {
	Slug    string  `json:"slug"`
	Address string  `json:"address"`
	Engine  string  `json:"engine"`
	Version string  `json:"version"`
	State   string  `json:"state"` // up or down
	Code    *string `json:"code"`
	Error   *string `json:"error"` // one sentence
}

// Status reads what a running agent wrote last; found is false when none ever did.
func (d *Dir) Status() (s Status, found bool, err error) {
	err = d.readJSON(d.Path("status.json"), &s)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	return s, err == nil, err
}

// SaveStatus replaces the status file. It is whole at any moment but not
// flushed to the disk: it says nothing worth keeping after a crash.
func (d *Dir) SaveStatus(s Status) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = d.replace(d.Path("status.json"), append(data, '\n'), false)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", d.Path("status.json"), err)
	}
	return nil
}
