package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"leadline/agents/internal/control"
)

func (c *cli) list(ctx context.Context, args []string) error {
	f := newFlags("list")
	asJSON := f.Bool("json", false, "")
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) > 0 {
		return usage("list takes no argument.")
	}
	dir, _, client, err := f.enrolled()
	if err != nil {
		return err
	}
	running, err := dir.Running()
	if err != nil {
		return err
	}
	seen, _, err := dir.Status()
	if err != nil {
		return err
	}
	desired, problem := desiredNow(ctx, dir, client)
	rows := serviceRows(desired, seen, running)
	if *asJSON {
		return c.writeJSON(map[string]any{"services": rows, "problem": optional(problem)})
	}
	if problem != nil {
		fmt.Fprintf(c.stderr, "leadline-agent: %s This is what the agent knew last.\n", control.Sentence(problem.Error()))
	}
	if len(rows) == 0 {
		fmt.Fprintln(c.stdout, "No service is watched. Add one: "+f.again("add mysql --name SLUG --address HOST:PORT --user USER"))
		return nil
	}
	return c.table(func(table *tabwriter.Writer) {
		fmt.Fprintln(table, "NAME\tENGINE\tADDRESS\tUSER\tSTATE")
		for _, row := range rows {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", row.Slug, engineName(row.Engine), row.Address, row.User, row.State)
		}
	})
}

// table prints aligned columns.
func (c *cli) table(fill func(*tabwriter.Writer)) error {
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fill(table)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("the answer cannot be printed: %w", err)
	}
	return nil
}

// optional gives an error's sentence, nil where there is none.
func optional(err error) *string {
	if err == nil {
		return nil
	}
	text := control.Sentence(err.Error())
	return &text
}
