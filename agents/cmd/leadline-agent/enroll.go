package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"leadline/agents/internal/config"
	"leadline/agents/internal/control"
	"leadline/agents/internal/host"
	"leadline/agents/internal/push"
	"leadline/agents/internal/state"
)

func (c *cli) enroll(ctx context.Context, args []string) error {
	f := newFlags("enroll")
	server := f.String("server", "", "")
	name := f.String("name", "", "")
	tokenFile := f.String("token-file", "", "")
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) > 0 {
		return usage("enroll takes no argument: the token comes from --token-file, LEADLINE_ENROLMENT_TOKEN, a prompt or standard input.")
	}
	address, err := config.ServerURL("--server", *server, f.settings.PlainHTTP)
	if err != nil {
		return err
	}
	machine, err := host.Identity(f.settings.HostRoot)
	if err != nil {
		return failed("This host cannot be identified: %s.", err)
	}
	node, err := nodeOf(machine, *name)
	if err != nil {
		return err
	}
	dir, err := state.Create(f.settings.StateDir)
	if err != nil {
		return err
	}
	if done, err := c.alreadyEnrolled(ctx, f, dir, address); done || err != nil {
		return err
	}
	token, _, err := c.readSecret(secret{
		what: "Enrolment token", fileFlag: *tokenFile, fileSetting: "--token-file", environment: "LEADLINE_ENROLMENT_TOKEN",
	})
	if err != nil {
		return err
	}
	if token == "" {
		return usage("No enrolment token was given. Make one in the settings of Leadline, under Enrolment.")
	}
	return c.enrol(ctx, f, dir, address, token, node, machine.BootID)
}

// enrol asks the server for an identity and stores it.
func (c *cli) enrol(ctx context.Context, f *flags, dir *state.Dir, address, token string, node control.Node, bootID string) error {
	client, err := push.NewClient(address, "", version, f.settings.CAFile)
	if err != nil {
		return err
	}
	place, err := dir.Place(bootID)
	if err != nil {
		return err
	}
	instance, err := dir.NextInstance(place)
	if err != nil {
		return err
	}
	enrolled, err := control.Enrol(ctx, client, control.EnrolRequest{Token: token, Node: node, Instance: instance.ID, Place: place})
	if err != nil {
		return err
	}
	if err := dir.ConfirmInstance(instance); err != nil {
		return err
	}
	err = dir.SaveIdentity(state.Identity{
		Server: address, CAFile: f.settings.CAFile, AgentID: enrolled.AgentID, Key: enrolled.Key,
		Org: enrolled.Org, Node: enrolled.Node, MachineID: node.MachineID,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "Enrolled at %s as node %s.\n", address, enrolled.Node)
	if running, err := dir.Running(); err == nil && !running {
		fmt.Fprintln(c.stdout, "Start the agent: "+f.again("run"))
	}
	return nil
}

// nodeOf names this host to the server.
func nodeOf(machine host.Machine, name string) (control.Node, error) {
	if name == "" {
		name = config.SlugOf(machine.Hostname)
	}
	if err := config.Slug("--name", name); err != nil {
		return control.Node{}, err
	}
	id := machine.MachineID
	if id == "" { // a container: its host name is all that tells it from others
		id = "hostname:" + machine.Hostname
	}
	return control.Node{Slug: name, Hostname: machine.Hostname, MachineID: id, OS: machine.OS, Arch: machine.Arch}, nil
}

// alreadyEnrolled tells whether the directory holds an identity that is in
// force; then nothing is to be done. An identity that the server has revoked or
// does not know any more is in nobody's way.
func (c *cli) alreadyEnrolled(ctx context.Context, f *flags, dir *state.Dir, address string) (bool, error) {
	identity, err := dir.Identity()
	if errors.Is(err, state.ErrNotEnrolled) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if identity.Server != address {
		return false, failed("This directory is enrolled at %s as node %s; nothing was changed. To enrol at another server name another directory with --state-dir.", identity.Server, identity.Node)
	}
	client, err := f.client(identity)
	if err != nil {
		return false, err
	}
	_, _, err = control.FetchDesired(ctx, client)
	if code := control.CodeOf(err); code == control.CodeRevoked || code == control.CodeKeyUnknown {
		running, err := dir.Running()
		if err != nil {
			return false, err
		}
		if running {
			return false, failed("The server has revoked this agent's identity. Stop the running agent first, then enrol again.")
		}
		fmt.Fprintf(c.stderr, "The identity of node %s is no longer valid on %s: enrolling anew.\n", identity.Node, address)
		return false, nil
	}
	fmt.Fprintf(c.stdout, "Already enrolled at %s as node %s; nothing was changed.\n", identity.Server, identity.Node)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(c.stdout, "The server was asked whether the identity is still valid: %s\n", control.Sentence(err.Error()))
	}
	return true, nil
}
