package main

import (
	"context"
	"fmt"

	"leadline/agents/internal/config"
	"leadline/agents/internal/control"
)

func (c *cli) remove(ctx context.Context, args []string) error {
	f := newFlags("remove")
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) != 1 {
		return usage("Name the one service to remove: leadline-agent remove NAME.")
	}
	slug := arguments[0]
	if err := config.Slug("NAME", slug); err != nil {
		return err
	}
	dir, _, client, err := f.enrolled()
	if err != nil {
		return err
	}
	_, kept, err := dir.Service(slug)
	if err != nil {
		return err
	}
	err = control.RemoveService(ctx, client, slug)
	unknown := control.CodeOf(err) == control.CodeNotFound
	switch {
	case unknown && !kept:
		return &failure{code: exitRefused, sentence: fmt.Sprintf("This agent watches no service %q. Run leadline-agent list to see them.", slug), cause: err}
	case err != nil && !unknown:
		return err
	}
	if err := dir.RemoveService(slug); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "Removed %s. Its history stays on the Leadline server, its password was deleted here.\n", slug)
	return nil
}
