package control

import (
	"errors"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"leadline/agents/internal/push"
)

// Codes of problems that the agent acts on.
const (
	CodeKeyUnknown     = "agent_key_unknown"
	CodeRevoked        = "agent_revoked"
	CodeSecondInstance = "second_instance"
	CodeNotFound       = "not_found"
)

// Problem is why a request came to nothing: one sentence for a person, and a
// code for the agent.
type Problem struct { //nolint:errname // it is a problem document, as RFC 9457 calls it
	Code     string // of the server's problem; "" where the server gave none
	Status   int    // of the answer; 0 where none came
	Sentence string // ends in a full stop
	Err      error
}

// Error is the sentence.
func (p *Problem) Error() string { return p.Sentence }

// Unwrap gives the *push.Refusal or *push.Unreachable.
func (p *Problem) Unwrap() error { return p.Err }

// Unreachable tells that no Leadline server answered: nothing, a proxy, or a
// server that is ill.
func (p *Problem) Unreachable() bool {
	return p.Status == 0 || p.Status >= http.StatusInternalServerError || p.Code == push.NotLeadline
}

// CodeOf gives the server's code for an error, or "".
func CodeOf(err error) string {
	var p *Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return ""
}

// advice says what to do where the server's own words leave it open.
var advice = map[string]string{
	CodeKeyUnknown:         "The Leadline server does not know this agent's key. Run leadline-agent enroll with a new token.",
	CodeRevoked:            "This agent was revoked on the Leadline server. Run leadline-agent enroll with a new token to use it again.",
	CodeSecondInstance:     "Another running agent uses this identity, perhaps a copy of the state directory. Stop one of them; this one may follow 90 seconds after the other was last heard of.",
	"protocol_unsupported": "The Leadline server and this agent are too far apart in version. Upgrade the older of the two.",
	push.NotLeadline:       "What answers there is not a Leadline server. Check the address.",
}

// sentence turns an error of the client into a *Problem. A cancelled request
// stays what it is.
func sentence(err error) error {
	var (
		refusal     *push.Refusal
		unreachable *push.Unreachable
	)
	switch {
	case errors.As(err, &refusal):
		p := &Problem{Code: refusal.Code, Status: refusal.Status, Err: err}
		p.Sentence = refusalSentence(refusal)
		return p
	case errors.As(err, &unreachable):
		return &Problem{Sentence: Sentence(unreachable.Error()), Err: err}
	}
	return err
}

func refusalSentence(r *push.Refusal) string {
	if text, known := advice[r.Code]; known {
		return text
	}
	if len(r.Fields) == 0 && r.Detail != "" && r.Code != "" {
		return Sentence(push.OneLine(r.Detail))
	}
	return Sentence(r.Error())
}

// Sentence begins with a capital and ends with a full stop, unless it ends with
// a statement to paste.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	first, size := utf8.DecodeRuneInString(text)
	if text == "" {
		return text
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if last, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune(".…;", last) {
		return text
	}
	return text + "."
}
