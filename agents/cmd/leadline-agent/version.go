package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"leadline/agents/internal/push"
)

func (c *cli) version(_ context.Context, args []string) error {
	f := newFlags("version")
	asJSON := f.Bool("json", false, "")
	arguments, err := f.parse(c, args)
	if err != nil {
		return err
	}
	if len(arguments) > 0 {
		return usage("version takes no argument.")
	}
	if !*asJSON {
		fmt.Fprintf(c.stdout, "leadline-agent %s, protocol %s, %s, %s/%s\n", version, push.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return nil
	}
	return c.writeJSON(map[string]string{
		"version": version, "protocol": push.Protocol, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
	})
}

// writeJSON prints one document.
func (c *cli) writeJSON(document any) error {
	encoder := json.NewEncoder(c.stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("the answer cannot be printed: %w", err)
	}
	return nil
}
