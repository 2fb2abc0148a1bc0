// Package control is the agent's side of the conversation with the Leadline
// server: enrolment, desired state, status, the long poll that says when
// something changed.
package control

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"leadline/agents/internal/push"
)

const (
	root = "/api/agent/v1/"
	// pollWait is how long the server may hold a poll; pollLimit when the agent
	// no longer believes in an answer.
	pollWait  = 50 * time.Second
	pollLimit = pollWait + 15*time.Second
)

// Node is how a host names itself at enrolment.
type Node struct {
	Slug      string `json:"slug"`
	Hostname  string `json:"hostname"`
	MachineID string `json:"machine_id"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
}

// EnrolRequest asks for an identity.
type EnrolRequest struct {
	Token    string `json:"token"`
	Node     Node   `json:"node"`
	Instance string `json:"instance"`
	Place    string `json:"place"`
}

// Enrolled is the identity that the server gave.
type Enrolled struct {
	AgentID string `json:"agent_id"`
	Key     string `json:"key"`
	Org     string `json:"org"`
	Node    string `json:"node"`
}

// TokenRequest asks for the right to push as this agent's one process.
type TokenRequest struct {
	Instance string  `json:"instance"`
	Previous *string `json:"previous"` // nil when there was none
	Place    string  `json:"place"`
}

// StatusReport is what the agent says of itself and its services.
type StatusReport struct {
	Instance    string          `json:"instance"`
	Generation  int64           `json:"generation"` // of the desired state that is in force
	StartedAt   float64         `json:"started_at"` // Unix seconds
	ClockOffset *float64        `json:"clock_offset_seconds"`
	Spool       SpoolReport     `json:"spool"`
	Services    []ServiceReport `json:"services"`
}

// SpoolReport is what waits to be sent, and what was dropped.
type SpoolReport struct {
	Bytes            int64   `json:"bytes"`
	Segments         int     `json:"segments"`
	OldestAgeSeconds float64 `json:"oldest_age_seconds"`
	DroppedSamples   uint64  `json:"dropped_samples"`
}

// ServiceReport is what the last pass over a service found. Code and Error are
// nil when all is well; a server may be up and lack a grant.
type ServiceReport struct {
	Slug    string  `json:"slug"`
	State   string  `json:"state"` // up or down
	Code    *string `json:"code"`  // unreachable, denied, grant, timeout, tls or error
	Error   *string `json:"error"` // one sentence
	Engine  string  `json:"engine,omitempty"`
	Version string  `json:"version,omitempty"`
}

// StatusAnswer is what the server says to a report.
type StatusAnswer struct {
	Generation  int64  `json:"generation"`
	StoreBootID string `json:"store_boot_id"`
}

// ServiceRequest registers a service, or changes the one of that slug. Labels
// that are left out stay as they are.
type ServiceRequest struct {
	Slug    string            `json:"slug"`
	Name    string            `json:"name"`
	Engine  string            `json:"engine"`
	Address string            `json:"address"`
	User    string            `json:"user"`
	TLS     string            `json:"tls"`
	Labels  map[string]string `json:"labels"`
}

// Enrol asks the server for an identity; the client needs no key for it.
func Enrol(ctx context.Context, client *push.Client, request EnrolRequest) (Enrolled, error) {
	var answer Enrolled
	err := client.JSON(ctx, http.MethodPost, root+"enrol", request, &answer)
	if err == nil && (answer.Key == "" || answer.Node == "") {
		err = &push.Refusal{Status: http.StatusOK, Code: push.NotLeadline, Detail: "the answer holds no agent key"}
	}
	return answer, sentence(err)
}

// Token asks for an ingest token.
func Token(ctx context.Context, client *push.Client, request TokenRequest) (push.TokenAnswer, error) {
	var answer push.TokenAnswer
	err := client.JSON(ctx, http.MethodPost, root+"token", request, &answer)
	return answer, sentence(err)
}

// FetchDesired asks what to do. raw is the answer as it came, to be kept.
func FetchDesired(ctx context.Context, client *push.Client) (desired Desired, raw []byte, err error) {
	var answer json.RawMessage
	if err := client.JSON(ctx, http.MethodGet, root+"desired", nil, &answer); err != nil {
		return Desired{}, nil, sentence(err)
	}
	if desired, err = ParseDesired(answer); err != nil {
		return Desired{}, nil, sentence(&push.Refusal{Status: http.StatusOK, Code: push.NotLeadline, Detail: err.Error()})
	}
	return desired, answer, nil
}

// Report sends a status report.
func Report(ctx context.Context, client *push.Client, report StatusReport) (StatusAnswer, error) {
	var answer StatusAnswer
	err := client.JSON(ctx, http.MethodPost, root+"status", report, &answer)
	return answer, sentence(err)
}

// RegisterService adds a service or changes the one of that slug.
func RegisterService(ctx context.Context, client *push.Client, request ServiceRequest) (Service, error) {
	var answer Service
	err := client.JSON(ctx, http.MethodPost, root+"services", request, &answer)
	return answer, sentence(err)
}

// RemoveService ends the watching of a service; its history stays.
func RemoveService(ctx context.Context, client *push.Client, slug string) error {
	return sentence(client.JSON(ctx, http.MethodDelete, root+"services/"+url.PathEscape(slug), nil, nil))
}

// poll waits until the server's generation differs from the given one, or for
// the time the server lets a poll wait, and gives the server's generation.
func poll(ctx context.Context, client *push.Client, generation int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, pollLimit)
	defer cancel()
	query := "commands?generation=" + strconv.FormatInt(generation, 10) + "&wait=" + strconv.Itoa(int(pollWait.Seconds()))
	var answer struct {
		Generation int64 `json:"generation"`
	}
	err := client.LongJSON(ctx, http.MethodGet, root+query, nil, &answer)
	return answer.Generation, sentence(err)
}
