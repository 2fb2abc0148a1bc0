package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"leadline/agents/internal/config"
	"leadline/agents/internal/control"
	"leadline/agents/internal/mysql"
	"leadline/agents/internal/push"
	"leadline/agents/internal/state"
)

// databasePatience is how long a command waits for a database.
const databasePatience = 15 * time.Second

// addition is a service on its way to be watched.
type addition struct {
	request control.ServiceRequest
	kept    state.Service
}

func (c *cli) add(ctx context.Context, args []string) error {
	f := newFlags("add")
	name := f.String("name", "", "")
	address := f.String("address", "", "")
	user := f.String("user", "", "")
	passwordFile := f.String("password-file", "", "")
	tls := f.String("tls", "", "")
	labels := map[string]*string{
		"environment": f.String("environment", "", ""), "cluster": f.String("cluster", "", ""),
		"replication_set": f.String("replication-set", "", ""),
	}
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) != 1 || arguments[0] != "mysql" {
		return usage("Say what to add: leadline-agent add mysql --name SLUG --address HOST:PORT --user USER (MariaDB too).")
	}
	a := addition{request: control.ServiceRequest{Slug: *name, Name: *name, Address: *address, User: *user, Labels: map[string]string{}}}
	if a.request.TLS, err = config.TLSMode("--tls", *tls); err != nil {
		return err
	}
	if err := a.check(f, labels); err != nil {
		return err
	}
	dir, _, client, err := f.enrolled()
	if err != nil {
		return err
	}
	a.kept.Password, a.kept.PasswordFile, err = c.readSecret(secret{
		what: "Password of " + *user, fileFlag: *passwordFile, fileSetting: "--password-file",
		environment: "LEADLINE_MYSQL_PASSWORD", private: true,
	})
	if err != nil {
		return err
	}
	identity, err := a.try(ctx)
	if err != nil {
		return err
	}
	a.request.Engine = identity.Engine
	if err := store(ctx, dir, client, a); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "Watching %s: %s %s at %s.\n", a.request.Slug, engineName(identity.Engine), identity.Version, a.request.Address)
	if running, err := dir.Running(); err == nil && !running {
		fmt.Fprintln(c.stdout, "No agent is running from this state directory. Start it: "+f.again("run"))
	}
	return nil
}

func (a *addition) check(f *flags, labels map[string]*string) error {
	problems := []error{
		config.Slug("--name", a.request.Slug),
		config.Address("--address", a.request.Address),
		config.User("--user", a.request.User),
	}
	flagOf := map[string]string{"environment": "environment", "cluster": "cluster", "replication_set": "replication-set"}
	given := f.given()
	for label, value := range labels {
		if given[flagOf[label]] {
			a.request.Labels[label] = *value
			problems = append(problems, config.Label("--"+flagOf[label], *value))
		}
	}
	for _, problem := range problems {
		if problem != nil {
			return problem
		}
	}
	return nil
}

// try connects as the agent will, and refuses what would not work.
func (a *addition) try(ctx context.Context) (mysql.Identity, error) {
	server, err := mysql.Open(mysql.Connection{
		Address: a.request.Address, User: a.request.User, TLS: a.request.TLS,
		Password: func() (string, error) { return a.kept.Password, nil },
	})
	if err != nil {
		return mysql.Identity{}, usage("%s", control.Sentence(err.Error()))
	}
	defer server.Close() //nolint:errcheck // the connections end with the process
	ctx, cancel := context.WithTimeout(ctx, databasePatience)
	defer cancel()
	return server.Probe(ctx)
}

// store keeps the password here, then registers the service: a running agent
// may hear of it before the command has ended.
func store(ctx context.Context, dir *state.Dir, client *push.Client, a addition) error {
	before, known, err := dir.Service(a.request.Slug)
	if err != nil {
		return err
	}
	if err := dir.SaveService(a.request.Slug, a.kept); err != nil {
		return err
	}
	if _, err := control.RegisterService(ctx, client, a.request); err != nil {
		undo := dir.RemoveService
		if known {
			undo = func(slug string) error { return dir.SaveService(slug, before) }
		}
		return errors.Join(err, undo(a.request.Slug))
	}
	return nil
}

func engineName(engine string) string {
	switch engine {
	case mysql.EngineMySQL:
		return "MySQL"
	case mysql.EngineMariaDB:
		return "MariaDB"
	}
	return engine
}
