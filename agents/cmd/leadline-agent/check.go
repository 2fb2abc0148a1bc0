package main

import (
	"context"
	"errors"
	"fmt"

	"leadline/agents/internal/config"
	"leadline/agents/internal/control"
	"leadline/agents/internal/mysql"
	"leadline/agents/internal/state"
)

// serviceCheck is what check found out about one service.
type serviceCheck struct {
	Slug  string      `json:"slug"`
	OK    bool        `json:"ok"`
	Items []checkItem `json:"items"`
}

type checkItem struct {
	Item   string `json:"item"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
	Code   string `json:"code"`
}

func (c *cli) check(ctx context.Context, args []string) error {
	f := newFlags("check")
	asJSON := f.Bool("json", false, "")
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) > 1 {
		return usage("check takes one service, or none for all: leadline-agent check [NAME].")
	}
	dir, _, client, err := f.enrolled()
	if err != nil {
		return err
	}
	desired, problem := desiredNow(ctx, dir, client)
	services := desired.Services
	if len(arguments) == 1 {
		if err := config.Slug("NAME", arguments[0]); err != nil {
			return err
		}
		service, known := desired.Service(arguments[0])
		if !known {
			return unknownService(arguments[0], problem)
		}
		services = []control.Service{service}
	}
	checks := make([]serviceCheck, 0, len(services))
	for _, service := range services {
		checks = append(checks, checkService(ctx, dir, service))
	}
	if *asJSON {
		err = c.writeJSON(map[string]any{
			"server": map[string]any{"address": client.Server(), "ok": problem == nil, "error": optional(problem)}, "services": checks,
		})
		if err != nil {
			return err
		}
		return verdict(checks, problem, true)
	}
	if problem == nil {
		fmt.Fprintf(c.stdout, "ok       Leadline server: %s knows this agent.\n", client.Server())
	} else {
		fmt.Fprintf(c.stdout, "FAILED   Leadline server: %s\n", control.Sentence(problem.Error()))
	}
	for _, check := range checks {
		c.printCheck(check)
	}
	return verdict(checks, problem, false)
}

// unknownService explains a name that is not among what is known.
func unknownService(slug string, problem error) error {
	if problem != nil {
		return &failure{code: exitCode(problem), sentence: fmt.Sprintf("%s The service %q is not among those this agent knew last.", control.Sentence(problem.Error()), slug), cause: problem}
	}
	return failed("This agent watches no service %q. Run leadline-agent list to see them.", slug)
}

func checkService(ctx context.Context, dir *state.Dir, service control.Service) serviceCheck {
	result := serviceCheck{Slug: service.Slug, OK: true}
	server, err := mysql.Open(connection(dir, service))
	if err != nil {
		result.OK = false
		result.Items = []checkItem{{Item: "settings", Detail: control.Sentence(err.Error()), Code: mysql.CodeError}}
		return result
	}
	defer server.Close() //nolint:errcheck // the connections end with the process
	ctx, cancel := context.WithTimeout(ctx, databasePatience)
	defer cancel()
	for _, item := range server.Check(ctx) {
		result.OK = result.OK && item.OK
		result.Items = append(result.Items, checkItem(item))
	}
	return result
}

func (c *cli) printCheck(check serviceCheck) {
	fmt.Fprintf(c.stdout, "\n%s\n", check.Slug)
	for _, item := range check.Items {
		mark := "ok     "
		if !item.OK {
			mark = "FAILED "
		}
		fmt.Fprintf(c.stdout, "  %s%s: %s\n", mark, item.Item, item.Detail)
		if item.Fix == "" {
			continue
		}
		if item.OK {
			fmt.Fprintf(c.stdout, "         for more: %s\n", item.Fix)
		} else {
			fmt.Fprintf(c.stdout, "         to mend it: %s\n", item.Fix)
		}
	}
}

// verdict gives the exit code: what is wrong with a database first, then what
// is wrong with the server. What is wrong was printed already, so the sentence
// only counts.
func verdict(checks []serviceCheck, problem error, quiet bool) error {
	var bad int
	code := exitOK
	for _, check := range checks {
		if check.OK {
			continue
		}
		bad++
		code = max(code, exitOfItems(check.Items))
	}
	switch {
	case bad == 0 && problem == nil:
		return nil
	case bad == 0:
		code = exitCode(problem)
	}
	if quiet {
		return &failure{code: code, silent: true}
	}
	if bad == 0 {
		return &failure{code: code, sentence: "The databases are fine, but the Leadline server is not reached.", cause: problem}
	}
	return &failure{code: code, sentence: fmt.Sprintf("%d of %d services failed the check.", bad, len(checks)), cause: errors.Join(problem)}
}

// exitOfItems is 5 where the database refused or could not be reached, 6 where
// only grants are missing.
func exitOfItems(items []checkItem) int {
	for _, item := range items {
		if !item.OK && item.Code != mysql.CodeGrant {
			return exitDatabase
		}
	}
	return exitGrant
}
