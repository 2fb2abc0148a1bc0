package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql" //nolint:depguard // the test changes accounts, which the agent never does

	"leadline/agents/internal/control"
)

// database is a real server that the test environment names, with an account
// of the test's own.
type database struct {
	address string
	root    *sql.DB
}

func realDatabase(t *testing.T, variable string) database {
	t.Helper()
	dsn := os.Getenv(variable + "_ROOT")
	if dsn == "" {
		t.Skipf("%s_ROOT names no server: run python -m deploy.databases -- go test ./...", variable)
	}
	from := strings.Index(dsn, "tcp(")
	to := strings.Index(dsn, ")/")
	if from < 0 || to < 0 {
		t.Fatalf("%s_ROOT is no data source name over TCP", variable)
	}
	root, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closing(t, root) })
	return database{address: dsn[from+len("tcp(") : to], root: root}
}

func (d database) exec(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := d.root.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

const account = `'leadline_cli'@'%'`

func (d database) createAccount(t *testing.T) {
	t.Helper()
	drop := "DROP USER IF EXISTS " + account
	d.exec(t, drop, "CREATE USER "+account+" IDENTIFIED BY 's3cret-pw'")
	t.Cleanup(func() { _, _ = d.root.Exec(drop) }) //nolint:noctx // the test's context is over by then
}

func (d database) grantAll(t *testing.T, variable string) {
	t.Helper()
	d.exec(t, "GRANT PROCESS, REPLICATION CLIENT ON *.* TO "+account)
	if variable == "LEADLINE_TEST_MARIADB" {
		d.exec(t, "GRANT SLAVE MONITOR ON *.* TO "+account)
	}
}

func TestARealServerFromAddToRemove(t *testing.T) {
	for _, variable := range []string{"LEADLINE_TEST_MARIADB", "LEADLINE_TEST_MYSQL"} {
		t.Run(variable, func(t *testing.T) {
			d := realDatabase(t, variable)
			d.createAccount(t)
			l, s := newLeadline(t), newShell(t)
			s.enrolled(l)
			s.runAgent()

			add := []string{"add", "mysql", "--name", "demo", "--address", d.address, "--user", "leadline_cli", "--environment", "test"}
			s.expect(exitDatabase, "was refused by the database", "wrong\n", add...)
			if out := s.expect(exitGrant, "PROCESS", "s3cret-pw\n", add...); !strings.Contains(out, "GRANT PROCESS") {
				t.Errorf("no statement to paste: %s", out)
			}
			if len(l.services) != 0 {
				t.Fatalf("registered: %+v", l.services)
			}
			d.grantAll(t, variable)
			file := filepath.Join(t.TempDir(), "password")
			if err := os.WriteFile(file, []byte("s3cret-pw\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s.expect(exitOK, "Watching demo: ", "", append(add, "--password-file", file)...)
			if request := l.services[0]; request.Labels["environment"] != "test" || len(request.Labels) != 1 || request.Engine == "" {
				t.Errorf("registered: %+v", request)
			}
			eventually(t, "it is up", func() bool { r, _ := l.reported(); return r.State == "up" })
			eventually(t, "its metrics", func() bool { return l.pushed("mysql_global_status_uptime") && l.pushed("mysql_up") })
			s.expect(exitOK, "leadline_cli  up", "", "list")
			s.expect(exitOK, "ok     connection", "", "check", "demo")

			d.exec(t, "REVOKE PROCESS ON *.* FROM "+account)
			s.expect(exitGrant, "GRANT PROCESS", "", "check", "demo")
			d.grantAll(t, variable)

			// A rotated password: the file is changed, the old connections end.
			d.exec(t, "SET PASSWORD FOR "+account+" = "+newPassword(variable))
			if err := os.WriteFile(file, []byte("s3cret-pw-2\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s.expect(exitOK, "ok     connection", "", "check", "demo")
			l.change(func(d *control.Desired) { d.Services[0].PasswordVersion++ })
			eventually(t, "it stays up", func() bool { r, _ := l.reported(); return r.State == "up" })

			s.expect(exitOK, "Removed demo.", "", "remove", "demo")
			if _, err := os.Stat(filepath.Join(s.dir, "services", "demo.json")); !os.IsNotExist(err) {
				t.Errorf("its password is still kept: %v", err)
			}
		})
	}
}

func newPassword(variable string) string {
	if variable == "LEADLINE_TEST_MARIADB" {
		return "PASSWORD('s3cret-pw-2')"
	}
	return "'s3cret-pw-2'"
}
