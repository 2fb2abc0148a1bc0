package main

import (
	"errors"
	"strings"

	"leadline/agents/internal/config"
	"leadline/agents/internal/control"
	"leadline/agents/internal/mysql"
	"leadline/agents/internal/state"
)

// connection says how to reach a service. Its password is looked up at each
// new connection, so that a changed file or a new desired state is used then.
func connection(dir *state.Dir, service control.Service) mysql.Connection {
	return mysql.Connection{
		Address: service.Address, User: service.User, TLS: service.TLS,
		Password: func() (string, error) { return password(dir, service) },
	}
}

// password gives the server's where one was set there, else the one that this
// host keeps.
func password(dir *state.Dir, service control.Service) (string, error) {
	if service.Password != nil {
		return *service.Password, nil
	}
	kept, found, err := dir.Service(service.Slug)
	if err != nil {
		return "", err
	}
	if !found {
		return "", errors.New("this host keeps no password for the service: run leadline-agent add mysql again, or set a password on the Leadline server")
	}
	return keptPassword(kept)
}

// keptPassword reads the password file again if there is one. Where the agent's
// user cannot read it, the copy taken when the service was added serves.
func keptPassword(kept state.Service) (string, error) {
	if kept.PasswordFile == "" {
		return kept.Password, nil
	}
	value, err := config.SecretFile("password file", kept.PasswordFile, true)
	var problem *config.Error
	if errors.As(err, &problem) {
		if problem.Unreadable {
			return kept.Password, nil
		}
		return "", errors.New(strings.TrimSuffix(problem.Problem, ".")) // stands inside a sentence
	}
	return value, err
}
