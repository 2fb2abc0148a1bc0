package main

import (
	"errors"
	"fmt"

	"leadline/agents/internal/config"
	"leadline/agents/internal/control"
	"leadline/agents/internal/mysql"
	"leadline/agents/internal/state"
)

// Exit codes, part of the command line's contract.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitRefused     = 3 // by the Leadline server
	exitUnreachable = 4 // the Leadline server
	exitDatabase    = 5 // refused or unreachable
	exitGrant       = 6 // missing
)

// errHelp asks for a command's usage.
var errHelp = errors.New("help")

// failure is an error with its exit code.
type failure struct {
	code     int
	sentence string
	silent   bool // all was said already
	cause    error
}

func (f *failure) Error() string { return f.sentence }

func (f *failure) Unwrap() error { return f.cause }

func usage(format string, values ...any) error {
	return &failure{code: exitUsage, sentence: fmt.Sprintf(format, values...)}
}

func failed(format string, values ...any) error {
	return &failure{code: exitFailed, sentence: fmt.Sprintf(format, values...)}
}

// report prints an error, once and here only, and gives its exit code.
func (c *cli) report(err error) int {
	if err == nil {
		return exitOK
	}
	var f *failure
	if !errors.As(err, &f) || !f.silent {
		fmt.Fprintln(c.stderr, "leadline-agent: "+explain(err))
	}
	return exitCode(err)
}

func explain(err error) string {
	var setting *config.Error
	var f *failure
	switch {
	case errors.As(err, &f):
		return f.sentence
	case errors.As(err, &setting):
		return setting.Error()
	case errors.Is(err, state.ErrNotEnrolled):
		return "This agent is not enrolled. Run leadline-agent enroll --server URL first, or name its directory with --state-dir."
	case errors.Is(err, state.ErrMissing):
		return control.Sentence(err.Error()) + " Run leadline-agent enroll --server URL first, or name another one with --state-dir."
	}
	return control.Sentence(err.Error())
}

func exitCode(err error) int {
	var (
		f       *failure
		setting *config.Error
		server  *control.Problem
		db      *mysql.Problem
	)
	switch {
	case errors.As(err, &f):
		return f.code
	case errors.As(err, &setting):
		return exitUsage
	case errors.As(err, &server) && server.Unreachable():
		return exitUnreachable
	case errors.As(err, &server):
		return exitRefused
	case errors.As(err, &db) && db.Code == mysql.CodeGrant:
		return exitGrant
	case errors.As(err, &db):
		return exitDatabase
	}
	return exitFailed
}
