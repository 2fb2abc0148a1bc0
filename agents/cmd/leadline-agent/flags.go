package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"leadline/agents/internal/config"
	"leadline/agents/internal/push"
	"leadline/agents/internal/state"
)

// flags are those of one command, with what every command takes.
type flags struct {
	*flag.FlagSet
	stateDir string
	settings config.Settings
}

func newFlags(command string) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(command, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	f.StringVar(&f.stateDir, "state-dir", "", "")
	return f
}

// parse reads flags and arguments in any order, then the settings. An unknown
// flag is named but its value is not repeated: it may be a secret.
func (f *flags) parse(c *cli, args []string) (arguments []string, err error) {
	for len(args) > 0 {
		switch err := f.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, errHelp
		case err != nil:
			return nil, usage("%s. Run leadline-agent %s --help.", f.wrong(err), f.Name())
		}
		if args = f.Args(); len(args) > 0 {
			arguments, args = append(arguments, args[0]), args[1:]
		}
	}
	f.settings, err = config.Load(c.getenv, f.stateDir)
	return arguments, err
}

func (f *flags) wrong(err error) string {
	text := err.Error()
	if name, unknown := strings.CutPrefix(text, "flag provided but not defined: -"); unknown {
		return fmt.Sprintf("%s has no flag --%s", f.Name(), name)
	}
	if name, lacks := strings.CutPrefix(text, "flag needs an argument: -"); lacks {
		return fmt.Sprintf("--%s needs a value", name)
	}
	return "the flags of " + f.Name() + " cannot be read"
}

// given tells which flags stand on the command line.
func (f *flags) given() map[string]bool {
	given := map[string]bool{}
	f.Visit(func(set *flag.Flag) { given[set.Name] = true })
	return given
}

// again is a command line for the same state directory, to be pasted.
func (f *flags) again(command string) string {
	line := "leadline-agent " + command
	if f.stateDir != "" {
		line += " --state-dir " + f.stateDir
	}
	return line
}

// enrolled opens the state directory of an enrolled agent and a client that
// speaks for it.
func (f *flags) enrolled() (*state.Dir, state.Identity, *push.Client, error) {
	dir, err := state.Open(f.settings.StateDir)
	if err != nil {
		return nil, state.Identity{}, nil, err
	}
	identity, err := dir.Identity()
	if err != nil {
		return nil, identity, nil, err
	}
	client, err := f.client(identity)
	return dir, identity, client, err
}

func (f *flags) client(identity state.Identity) (*push.Client, error) {
	caFile := identity.CAFile
	if f.settings.CAFile != "" {
		caFile = f.settings.CAFile
	}
	return push.NewClient(identity.Server, identity.Key, version, caFile)
}
