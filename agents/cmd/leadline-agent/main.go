// Command leadline-agent watches its host and any number of database servers
// for a Leadline server.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = "0.1.0"

// cli is what a command may use of the process around it.
type cli struct {
	stdin  *os.File
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
}

// command is one subcommand.
type command struct {
	name    string
	summary string
	usage   string // what follows the name
	run     func(c *cli, ctx context.Context, args []string) error
}

func commands() []command {
	return []command{
		{"enroll", "give this host an identity on a Leadline server", "--server URL [--name SLUG] [--token-file FILE]", (*cli).enroll},
		{"run", "watch, until stopped", "", (*cli).run},
		{"add", "watch a MySQL or MariaDB server", "mysql --name SLUG --address HOST:PORT|unix:/path --user USER [--password-file FILE] [--tls off|preferred|required|skip-verify] [--environment E] [--cluster C] [--replication-set R]", (*cli).add},
		{"check", "test what a service, or all, needs", "[NAME] [--json]", (*cli).check},
		{"list", "show the services of this agent", "[--json]", (*cli).list},
		{"status", "show what the agent sees and sends", "[--json]", (*cli).status},
		{"remove", "stop watching a service; its history stays", "NAME", (*cli).remove},
		{"version", "show the version", "[--json]", (*cli).version},
	}
}

func main() {
	c := &cli{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	os.Exit(c.main(context.Background(), os.Args[1:]))
}

// main runs one command and gives the exit code.
func (c *cli) main(ctx context.Context, args []string) int {
	if len(args) == 0 {
		c.help(c.stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		c.help(c.stdout)
		return exitOK
	case "--version", "-version":
		args[0] = "version"
	}
	for _, candidate := range commands() {
		if candidate.name != args[0] {
			continue
		}
		err := candidate.run(c, ctx, args[1:])
		if err == errHelp { //nolint:errorlint // never wrapped: it carries no message
			line := strings.TrimSpace(candidate.name + " " + candidate.usage)
			fmt.Fprintf(c.stdout, "leadline-agent %s\n\n%s: %s.\n\n%s", line, candidate.name, candidate.summary, commonHelp)
			return exitOK
		}
		return c.report(err)
	}
	fmt.Fprintf(c.stderr, "leadline-agent: There is no command %q. Run leadline-agent help to see them.\n", args[0])
	return exitUsage
}

const commonHelp = `Every command takes --state-dir DIR (or LEADLINE_STATE_DIR), by default /var/lib/leadline-agent.
LEADLINE_CA_FILE names a file of certificates to trust, for a private authority.
Passwords and tokens never stand on the command line: they come from a file, an environment variable, a prompt or standard input.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by the Leadline server, 4 Leadline server unreachable,
5 database refused or unreachable, 6 a grant is missing.
`

func (c *cli) help(to io.Writer) {
	fmt.Fprintf(to, "leadline-agent %s watches this host and its databases.\n\n", version)
	for _, candidate := range commands() {
		fmt.Fprintf(to, "  %-8s %s\n", candidate.name, candidate.summary)
	}
	fmt.Fprintf(to, "\nleadline-agent COMMAND --help shows what a command takes.\n%s", commonHelp)
}
