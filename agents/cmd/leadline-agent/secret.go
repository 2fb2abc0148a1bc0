package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"

	"leadline/agents/internal/config"
)

const longestSecret = 64 << 10

// secret is a value that never stands on the command line.
type secret struct {
	what        string // "enrolment token"
	fileFlag    string // value of its --…-file flag, or empty
	fileSetting string // name of that flag
	environment string // NAME; NAME_FILE is read too
	private     bool   // a file that everybody can read is refused
}

// readSecret takes the secret from the first of: file flag, environment, a prompt
// without echo, standard input. file is the absolute path it came from, if any.
func (c *cli) readSecret(s secret) (value, file string, err error) {
	if s.fileFlag != "" {
		return s.fromFile(s.fileSetting, s.fileFlag)
	}
	if named := c.getenv(s.environment + "_FILE"); named != "" && s.private && c.getenv(s.environment) == "" {
		return s.fromFile(s.environment+"_FILE", named)
	}
	value, found, err := config.Secret(c.getenv, s.environment)
	if err != nil || found {
		return value, "", err
	}
	if term.IsTerminal(int(c.stdin.Fd())) {
		value, err = c.prompt(s.what)
	} else {
		value, err = firstLine(c.stdin)
	}
	return value, "", err
}

func (s secret) fromFile(setting, path string) (value, file string, err error) {
	value, err = config.SecretFile(setting, path, s.private)
	if err != nil {
		return "", "", err
	}
	file, err = filepath.Abs(path)
	return value, file, err //nolint:wrapcheck // fails only where there is no working directory
}

// prompt asks without echo. A Ctrl-C gives the terminal its echo back first.
func (c *cli) prompt(what string) (string, error) {
	descriptor := int(c.stdin.Fd())
	before, err := term.GetState(descriptor)
	if err != nil {
		return "", fmt.Errorf("the terminal cannot be asked: %w", err)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupted)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-interrupted:
			_ = term.Restore(descriptor, before)
			fmt.Fprintln(c.stderr)
			os.Exit(exitFailed)
		case <-done:
		}
	}()
	fmt.Fprintf(c.stderr, "%s (not shown): ", what)
	typed, err := term.ReadPassword(descriptor)
	fmt.Fprintln(c.stderr)
	if err != nil {
		return "", failed("No %s was given.", strings.ToLower(what))
	}
	return string(typed), nil
}

func firstLine(from io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(from, longestSecret)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("standard input cannot be read: %w", err)
	}
	return config.TrimLine(line), nil
}
