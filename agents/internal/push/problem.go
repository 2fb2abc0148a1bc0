package push

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"unicode"
)

const longestDetail = 500

// NotLeadline is the code of a Refusal where something answered that is no
// Leadline server: a proxy's page, another program.
const NotLeadline = "not_leadline"

// Refusal is an answer that says no: problem+json, or whatever else stood in
// the way.
type Refusal struct { //nolint:errname // it is an answer as much as an error
	Status int
	Code   string // the problem's code, or "" where the answer is no problem+json
	Title  string
	Detail string
	Fields []FieldProblem
}

// FieldProblem is one wrong field of a request.
type FieldProblem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is one sentence.
func (r *Refusal) Error() string {
	switch {
	case len(r.Fields) > 0:
		parts := make([]string, 0, len(r.Fields))
		for _, f := range r.Fields {
			parts = append(parts, OneLine(f.Field+": "+f.Message))
		}
		return "the Leadline server refused the request: " + strings.Join(parts, " ")
	case r.Detail != "":
		return "the Leadline server refused the request: " + OneLine(r.Detail)
	case r.Title != "":
		return "the Leadline server refused the request: " + OneLine(r.Title)
	}
	return fmt.Sprintf("the Leadline server answered %d %s", r.Status, http.StatusText(r.Status))
}

// Temporary tells that the same request may succeed later.
func (r *Refusal) Temporary() bool {
	return r.Status >= http.StatusInternalServerError || r.Status == http.StatusTooManyRequests || r.Status == http.StatusRequestTimeout
}

// Unreachable means that no answer came.
type Unreachable struct { //nolint:errname // reads better in the sentences of its users
	Server string
	Err    error
}

// Unwrap gives the cause.
func (u *Unreachable) Unwrap() error { return u.Err }

// Error is one sentence that names the server and the cause.
func (u *Unreachable) Error() string {
	return "the Leadline server at " + u.Server + " cannot be reached: " + cause(u.Err)
}

// cause says in a few words why no answer came, and what to do where that is clear.
func cause(err error) string {
	var (
		dns      *net.DNSError
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
		record   tls.RecordHeaderError
		wrapped  *url.Error
		netError net.Error
	)
	switch {
	case errors.As(err, &dns):
		return "the name " + dns.Name + " cannot be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &unknown):
		return "its certificate is signed by an unknown authority; name that authority's file with LEADLINE_CA_FILE"
	case errors.As(err, &name):
		return "its certificate is for another name"
	case errors.As(err, &invalid):
		return "its certificate is not valid: " + invalid.Error()
	case errors.As(err, &record):
		return "it does not speak TLS; does its address begin with http:// ?"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netError) && netError.Timeout():
		return "no answer in time"
	case errors.As(err, &wrapped):
		return OneLine(wrapped.Err.Error())
	}
	return OneLine(err.Error())
}

func readRefusal(response *http.Response, body []byte) error {
	refusal := &Refusal{Status: response.StatusCode}
	if !strings.Contains(response.Header.Get("Content-Type"), "json") {
		return refusal
	}
	var problem struct {
		Code   string         `json:"code"`
		Title  string         `json:"title"`
		Detail string         `json:"detail"`
		Errors []FieldProblem `json:"errors"`
	}
	if json.Unmarshal(body, &problem) == nil {
		refusal.Code, refusal.Title, refusal.Detail, refusal.Fields = problem.Code, problem.Title, problem.Detail, problem.Errors
	}
	return refusal
}

// OneLine makes text from outside fit for a log line.
func OneLine(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	runes := []rune(strings.Join(words, " "))
	if len(runes) > longestDetail {
		return string(runes[:longestDetail-1]) + "…"
	}
	return string(runes)
}
