package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/agents/internal/state"
)

// shell runs commands against one state directory.
type shell struct {
	t   *testing.T
	dir string
	env map[string]string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	return &shell{t: t, dir: filepath.Join(t.TempDir(), "state"), env: map[string]string{}}
}

// run runs one command with the given standard input and gives exit code and output.
func (s *shell) run(input string, args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	in, feed, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	defer closing(s.t, in)
	if _, err := feed.WriteString(input); err != nil {
		s.t.Fatal(err)
	}
	closing(s.t, feed)
	var out, complaints bytes.Buffer
	c := &cli{stdin: in, stdout: &out, stderr: &complaints, getenv: func(name string) string {
		if name == "LEADLINE_STATE_DIR" {
			return s.dir
		}
		return s.env[name]
	}}
	code = c.main(s.t.Context(), args)
	return code, out.String(), complaints.String()
}

func closing(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// expect runs a command and holds it to its exit code and a part of its output.
func (s *shell) expect(code int, part, input string, args ...string) string {
	s.t.Helper()
	got, stdout, stderr := s.run(input, args...)
	output := stdout + stderr
	if got != code || !strings.Contains(output, part) {
		s.t.Errorf("leadline-agent %v: exit %d, want %d with %q\n%s", args, got, code, part, output)
	}
	if code == exitUsage && len(args) > 0 && strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
		s.t.Errorf("leadline-agent %v: more than one sentence: %s", args, stderr)
	}
	for _, secret := range []string{"lle_right", "lle_wrong", "lla_secret", "s3cret-pw"} {
		if strings.Contains(output, secret) {
			s.t.Errorf("leadline-agent %v prints the secret %s: %s", args, secret, output)
		}
	}
	return output
}

func (s *shell) enrolled(l *leadline) {
	s.t.Helper()
	s.expect(exitOK, "Enrolled at "+l.URL+" as node db1.", "lle_right\n", "enroll", "--server", l.URL, "--name", "db1")
}

func TestWrongUsageNamesTheField(t *testing.T) {
	s := newShell(t)
	s.expect(exitUsage, `There is no command "foo"`, "", "foo")
	s.expect(exitUsage, "enroll has no flag --token", "", "enroll", "--token", "lle_right")
	s.expect(exitUsage, "takes no argument", "", "enroll", "lle_right")
	s.expect(exitUsage, "--server:", "", "enroll")
	s.expect(exitUsage, "--server: http:// would send", "", "enroll", "--server", "http://example.org")
	s.expect(exitUsage, "--name:", "", "enroll", "--server", "https://example.org", "--name", "No Slug")
	s.expect(exitUsage, "--server needs a value", "", "enroll", "--server")
	s.expect(exitUsage, "--name:", "", "add", "mysql", "--address", "h:1", "--user", "u")
	s.expect(exitUsage, "--address:", "", "add", "mysql", "--name", "a", "--address", "h", "--user", "u")
	s.expect(exitUsage, "--user:", "", "add", "mysql", "--name", "a", "--address", "h:1")
	s.expect(exitUsage, "--tls:", "", "add", "mysql", "--name", "a", "--address", "h:1", "--user", "u", "--tls", "x")
	s.expect(exitUsage, "--cluster:", "", "add", "mysql", "--name", "a", "--address", "h:1", "--user", "u", "--cluster", "\x01")
	s.expect(exitUsage, "add has no flag --password", "", "add", "mysql", "--password", "s3cret-pw")
	s.expect(exitUsage, "Say what to add", "", "add", "mongodb")
	s.expect(exitUsage, "Name the one service", "", "remove")
	s.expect(exitUsage, "run takes no argument", "", "run", "x")
	s.env["LEADLINE_SPOOL_BYTES"] = "many"
	s.expect(exitUsage, "LEADLINE_SPOOL_BYTES:", "", "status")
}

func TestHelpAndVersion(t *testing.T) {
	s := newShell(t)
	s.expect(exitUsage, "COMMAND --help", "")
	s.expect(exitOK, "COMMAND --help", "", "help")
	s.expect(exitOK, "--password-file FILE", "", "add", "--help")
	s.expect(exitOK, "leadline-agent "+version, "", "version")
	var document map[string]string
	if err := json.Unmarshal([]byte(s.expect(exitOK, "", "", "version", "--json")), &document); err != nil || document["version"] != version || document["protocol"] != "1" {
		t.Errorf("got %v, %v", document, err)
	}
}

func TestNothingWorksBeforeEnrolment(t *testing.T) {
	s := newShell(t)
	for _, args := range [][]string{{"run"}, {"list"}, {"status"}, {"check"}, {"remove", "demo"}, {"add", "mysql", "--name", "a", "--address", "h:1", "--user", "u"}} {
		s.expect(exitFailed, "Run leadline-agent enroll --server URL first", "", args...)
	}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.expect(exitFailed, "This agent is not enrolled.", "", "status")
}

func TestEnrol(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.expect(exitUsage, "No enrolment token was given", "", "enroll", "--server", l.URL)
	s.expect(exitRefused, "The server says enrolment_token_unknown.", "lle_wrong\n", "enroll", "--server", l.URL)
	s.expect(exitUnreachable, "cannot be reached: nothing listens there", "lle_right\n", "enroll", "--server", "http://127.0.0.1:1")
	s.enrolled(l)
	dir, err := state.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	identity, err := dir.Identity()
	if err != nil || identity.Key != "lla_secret" || identity.Server != l.URL || identity.Node != "db1" {
		t.Errorf("got %+v, %v", identity, err)
	}
	if request := l.enrols[0]; request.Instance == "" || len(request.Place) != 64 || request.Node.MachineID == "" {
		t.Errorf("got %+v", request)
	}

	s.expect(exitOK, "Already enrolled at "+l.URL+" as node db1; nothing was changed.", "", "enroll", "--server", l.URL+"/")
	s.expect(exitFailed, "nothing was changed", "", "enroll", "--server", "https://other.example.org")
	if again, err := dir.Identity(); err != nil || again != identity || len(l.enrols) != 1 {
		t.Errorf("something was changed: %+v, %v", again, err)
	}

	l.set(func() { l.refuse["/api/agent/v1/desired"] = "agent_revoked" })
	s.expect(exitOK, "enrolling anew", "lle_right\n", "enroll", "--server", l.URL, "--name", "db1")
	if len(l.enrols) != 2 {
		t.Error("a revoked identity stands in the way")
	}
}

func TestTheTokenComesFromFileEnvironmentOrInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("lle_right\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]struct {
		env   map[string]string
		input string
		flags []string
	}{
		"file":             {flags: []string{"--token-file", file}},
		"environment":      {env: map[string]string{"LEADLINE_ENROLMENT_TOKEN": "lle_right"}},
		"environment file": {env: map[string]string{"LEADLINE_ENROLMENT_TOKEN_FILE": file}},
		"input":            {input: "lle_right"},
	} {
		t.Run(name, func(t *testing.T) {
			l, s := newLeadline(t), newShell(t)
			s.env = source.env
			s.expect(exitOK, "Enrolled", source.input, append([]string{"enroll", "--server", l.URL, "--name", "db1"}, source.flags...)...)
		})
	}
	s := newShell(t)
	s.expect(exitUsage, "--token-file: /nowhere does not exist.", "", "enroll", "--server", "https://example.org", "--token-file", "/nowhere")
}

func TestADatabaseThatDoesNotAnswerIsRefused(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.enrolled(l)
	closed := httptest.NewServer(http.NotFoundHandler())
	address := closed.Listener.Addr().String()
	closed.Close()
	add := []string{"add", "mysql", "--name", "demo", "--address", address, "--user", "leadline"}
	s.expect(exitDatabase, "Nothing listens at "+address, "s3cret-pw\n", add...)
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("s3cret-pw"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.expect(exitUsage, "--password-file: "+file+" can be read by every user", "", append(add, "--password-file", file)...)
	s.env["LEADLINE_MYSQL_PASSWORD_FILE"] = file
	s.expect(exitUsage, "LEADLINE_MYSQL_PASSWORD_FILE: "+file+" can be read by every user", "", add...)
	if len(l.services) != 0 {
		t.Errorf("registered: %+v", l.services)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "services", "demo.json")); !os.IsNotExist(err) {
		t.Errorf("a password is kept: %v", err)
	}
}

func TestStatusListCheckAndRemoveWithoutARunningAgent(t *testing.T) {
	l, s := newLeadline(t), newShell(t)
	s.enrolled(l)
	s.expect(exitOK, "not running from "+s.dir, "", "status")
	s.expect(exitOK, l.URL+", reachable", "", "status")
	s.expect(exitOK, "No service is watched", "", "list")
	s.expect(exitOK, "knows this agent", "", "check")
	s.expect(exitFailed, `no service "demo"`, "", "check", "demo")
	s.expect(exitRefused, `no service "demo"`, "", "remove", "demo")

	l.change(serviceAt("127.0.0.1:1"))
	s.expect(exitOK, "demo  MariaDB  127.0.0.1:1  leadline  waiting", "", "list")
	s.expect(exitDatabase, "keeps no password for the service", "", "check", "demo")
	var document struct {
		Running  bool `json:"running"`
		Server   struct{ OK bool }
		Agent    *state.Status
		Services []serviceRow `json:"services"`
	}
	if err := json.Unmarshal([]byte(s.expect(exitOK, "", "", "status", "--json")), &document); err != nil {
		t.Fatal(err)
	}
	if document.Running || !document.Server.OK || document.Agent != nil || len(document.Services) != 1 || document.Services[0].State != "waiting" {
		t.Errorf("got %+v", document)
	}
	s.expect(exitOK, "Removed demo.", "", "remove", "demo")

	l.set(func() { l.refuse["/api/agent/v1/desired"] = "agent_revoked" })
	s.expect(exitOK, "This agent was revoked on the Leadline server.", "", "status")
	s.expect(exitRefused, "FAILED   Leadline server", "", "check")
	l.Close()
	s.expect(exitOK, "cannot be reached", "", "status")
	s.expect(exitUnreachable, "cannot be reached", "", "check")
	s.expect(exitUnreachable, "cannot be reached", "", "remove", "demo")
}
