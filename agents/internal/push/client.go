// Package push speaks to the Leadline server: JSON requests with the agent's
// key, remote write with a short-lived token, and the rules of both: time
// limits, back-off, renewal, corrected time.
package push

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Protocol is the version of the agent's protocol, sent with every request.
const Protocol = "1"

const (
	requestTimeout = 15 * time.Second
	maxAnswer      = 8 << 20 // bytes of an answer that are read
)

// Client sends requests to one Leadline server.
type Client struct {
	server  string
	key     string
	version string
	http    *http.Client
}

// NewClient makes a client. server is the address without a trailing slash,
// key the agent's (empty while it has none), caFile a PEM bundle to trust
// beside the system's or empty.
func NewClient(server, key, version, caFile string) (*Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's own type
	transport.MaxIdleConnsPerHost = 4
	transport.ResponseHeaderTimeout = 0 // each request has its own limit
	if caFile != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		pem, err := os.ReadFile(caFile) //nolint:gosec // the person who runs the agent names this file
		if err != nil {
			return nil, fmt.Errorf("LEADLINE_CA_FILE: %w", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("LEADLINE_CA_FILE: %s holds no PEM certificate", caFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &Client{server: server, key: key, version: version, http: &http.Client{Transport: transport}}, nil
}

// Server is the address of the Leadline server.
func (c *Client) Server() string { return c.server }

// JSON sends in as JSON (nil: no body) and reads the answer into out (nil: not
// read), within 15 s or the context's own limit if that is shorter. The error is
// a *Refusal when the server answered, an *Unreachable when it did not.
func (c *Client) JSON(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return c.LongJSON(ctx, method, path, in, out)
}

// LongJSON is JSON without a time limit but the context's.
func (c *Client) LongJSON(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("the request cannot be written as JSON: %w", err)
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, body)
	if err != nil {
		return fmt.Errorf("the request cannot be made: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	status, answer, err := c.send(request)
	if err != nil {
		return err
	}
	if out == nil || len(answer) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &Refusal{Status: status, Code: NotLeadline, Detail: "the answer is not what a Leadline server sends"}
	}
	return nil
}

// send adds the headers of every request, sends it and gives the answer's
// status, which is a 2xx, and body.
func (c *Client) send(request *http.Request) (int, []byte, error) {
	request.Header.Set("Leadline-Protocol", Protocol)
	request.Header.Set("Leadline-Agent", c.version)
	request.Header.Set("User-Agent", "leadline-agent/"+c.version)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, c.unreachable(request.Context(), err)
	}
	defer response.Body.Close() //nolint:errcheck // the body has been read, there is nothing to save
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, nil, c.unreachable(request.Context(), err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return 0, nil, readRefusal(response, body)
	}
	return response.StatusCode, body, nil
}

func (c *Client) unreachable(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("the request was given up: %w", ctx.Err())
	}
	return &Unreachable{Server: c.server, Err: err}
}
