package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"leadline/agents/internal/model"
)

// realServer is one of the servers that the environment names, as
// `python -m deploy.databases -- COMMAND` does.
type realServer struct {
	engine string
	login  *driver.Config // the monitoring account
	root   *sql.DB
}

// onRealServers runs test against each server that is named.
func onRealServers(t *testing.T, test func(t *testing.T, s realServer)) {
	t.Helper()
	for _, engine := range []string{EngineMariaDB, EngineMySQL} {
		t.Run(engine, func(t *testing.T) {
			name := "LEADLINE_TEST_" + strings.ToUpper(engine)
			dsn, rootDSN := os.Getenv(name), os.Getenv(name+"_ROOT")
			if dsn == "" || rootDSN == "" {
				t.Skipf("%s and %s_ROOT name no server", name, name)
			}
			login, err := driver.ParseDSN(dsn)
			if err != nil {
				t.Fatal(err)
			}
			root, err := sql.Open("mysql", rootDSN)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := root.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, realServer{engine, login, root})
		})
	}
}

func (r realServer) exec(t *testing.T, statement string) {
	t.Helper()
	// A test's cleanup runs after its context has ended.
	if _, err := r.root.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (r realServer) value(t *testing.T, query string) string {
	t.Helper()
	var value string
	if err := r.root.QueryRowContext(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// user makes an account that lives as long as the test.
func (r realServer) user(t *testing.T, password, options string) string {
	t.Helper()
	name := "agent_it_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	quoted := "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(password) + "'"
	r.exec(t, "CREATE USER "+name+"@'%' IDENTIFIED BY "+quoted+" "+options)
	t.Cleanup(func() { r.exec(t, "DROP USER "+name+"@'%'") })
	return name
}

func (r realServer) connection(user, password, tls string) Connection {
	return Connection{Address: r.login.Addr, User: user, TLS: tls, Password: func() (string, error) { return password, nil }}
}

func (r realServer) open(t *testing.T, c Connection, l limits) *Server {
	t.Helper()
	s, err := open(c, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (r realServer) openMonitor(t *testing.T, l limits) *Server {
	t.Helper()
	return r.open(t, r.connection(r.login.User, r.login.Passwd, TLSPreferred), l)
}

func TestProbeOfARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		identity, err := r.openMonitor(t, defaultLimits).Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if identity.Engine != r.engine || identity.Version != r.value(t, "SELECT VERSION()") {
			t.Errorf("Probe = %+v", identity)
		}
	})
}

func TestCollectorsOnARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		s := r.openMonitor(t, defaultLimits)
		got := map[string]float64{}
		for _, c := range s.Collectors() {
			before := len(got)
			emit := func(name string, value float64, labels ...model.Label) {
				if _, twice := got[key(name, labels)]; twice {
					t.Errorf("%s occurs twice in one pass", key(name, labels))
				}
				got[key(name, labels)] = value
			}
			if err := c.Collect(t.Context(), emit); err != nil {
				t.Errorf("%s: %v", c.Name(), err)
			}
			if len(got)-before < 300 {
				t.Errorf("%s gives only %d series", c.Name(), len(got)-before)
			}
		}
		for _, series := range []string{
			"mysql_global_status_queries", "mysql_global_status_questions", "mysql_global_status_threads_running",
			"mysql_global_status_threads_connected", "mysql_global_status_uptime", "mysql_global_status_slow_queries",
			"mysql_global_status_bytes_sent", "mysql_global_status_aborted_connects",
			`mysql_global_status_commands_total{command="select"}`, `mysql_global_status_handlers_total{handler="read_rnd_next"}`,
			`mysql_global_status_connection_errors_total{error="max_connections"}`, `mysql_global_status_buffer_pool_pages{state="free"}`,
			"mysql_global_status_buffer_pool_dirty_pages", `mysql_global_status_buffer_pool_page_changes_total{operation="flushed"}`,
			`mysql_global_status_performance_schema_lost_total{instrumentation="digest_lost"}`,
			"mysql_global_variables_innodb_buffer_pool_size",
		} {
			if _, ok := got[series]; !ok {
				t.Errorf("missing: %s", series)
			}
		}
		want, err := strconv.ParseFloat(r.value(t, "SELECT @@GLOBAL.max_connections"), 64)
		if err != nil || got["mysql_global_variables_max_connections"] != want {
			t.Errorf("max_connections is %v, want %v (%v)", got["mysql_global_variables_max_connections"], want, err)
		}
	})
}

func TestWrongPasswordOnARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		for _, user := range []string{r.login.User, "nobody_here"} {
			s := r.open(t, r.connection(user, "s3cret wrong", TLSPreferred), defaultLimits)
			identity, err := s.Probe(t.Context())
			wantProblem(t, err, CodeDenied, strconv.Quote(user), r.login.Addr, "password")
			if identity != (Identity{}) {
				t.Errorf("an identity without a login: %+v", identity)
			}
		}
	})
}

func TestMissingGrantsOnARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		user := r.user(t, "s3cret", "")
		s := r.open(t, r.connection(user, "s3cret", TLSPreferred), defaultLimits)
		identity, err := s.Probe(t.Context())
		wantProblem(t, err, CodeGrant, "PROCESS", "REPLICATION CLIENT", "ON *.* TO '"+user+"'@'%';", r.login.Addr)
		if identity.Engine != r.engine || identity.Version == "" {
			t.Errorf("a missing grant hides the identity: %+v", identity)
		}
		if got, err := status(t.Context(), s); err != nil || len(got) < 300 {
			t.Errorf("what needs no privilege is not read: %d series, %v", len(got), err)
		}

		var fixes []string
		for _, item := range s.Check(t.Context()) {
			if item.Code == CodeGrant {
				fixes = append(fixes, item.Fix)
			} else if !item.OK {
				t.Errorf("not OK: %+v", item)
			}
		}
		if len(fixes) < 2 {
			t.Fatalf("Check names only %q as missing", fixes)
		}
		for _, fix := range fixes {
			r.exec(t, fix)
		}
		s.db.SetMaxIdleConns(0) // global privileges are read at login
		s.db.SetMaxIdleConns(maxConnections)
		if _, err := s.Probe(t.Context()); err != nil {
			t.Errorf("after the exact grants: %v", err)
		}
		for _, item := range s.Check(t.Context()) {
			if !item.OK {
				t.Errorf("after the exact grants: %+v", item)
			}
		}
	})
}

func TestGrantsThroughARoleOnARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		user := r.user(t, "s3cret", "")
		role := user + "_r"
		r.exec(t, "CREATE ROLE "+role)
		t.Cleanup(func() { r.exec(t, "DROP ROLE "+role) })
		extra, as := "", user+"@'%'"
		if r.engine == EngineMariaDB {
			extra = ", SLAVE MONITOR"
		}
		r.exec(t, "GRANT PROCESS, REPLICATION CLIENT"+extra+" ON *.* TO "+role)
		r.exec(t, "GRANT "+role+" TO "+as)
		if r.engine == EngineMariaDB {
			r.exec(t, "SET DEFAULT ROLE "+role+" FOR "+as)
		} else {
			r.exec(t, "SET DEFAULT ROLE "+role+" TO "+as)
		}
		if _, err := r.open(t, r.connection(user, "s3cret", TLSPreferred), defaultLimits).Probe(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAChangedPasswordIsUsedAtTheNextConnection(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		first, second := `s3cret'"\@:/?#%&;= ü(`, "s3cret2`$()*"
		user := r.user(t, first, "")
		now := first
		c := r.connection(user, "", TLSPreferred)
		c.Password = func() (string, error) { return now, nil }
		s := r.open(t, c, defaultLimits)
		if _, err := status(t.Context(), s); err != nil {
			t.Fatalf("a password of odd characters: %v", err)
		}
		r.exec(t, "ALTER USER "+user+"@'%' IDENTIFIED BY '"+second+"'")
		now = second
		r.exec(t, "KILL "+r.value(t, "SELECT ID FROM information_schema.processlist WHERE USER = '"+user+"'"))
		if _, err := status(t.Context(), s); err != nil {
			// The kill may reach the connection only while it is in use.
			wantProblem(t, err, CodeUnreachable)
			if _, err := status(t.Context(), s); err != nil {
				t.Errorf("after the password was changed: %v", err)
			}
		}
	})
}

func TestTheServerStopsALongStatement(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		l := defaultLimits
		l.statement, l.reply = time.Second, time.Minute
		s := r.openMonitor(t, l)
		began := time.Now()
		err := s.each(t.Context(), `SELECT COUNT(*) FROM information_schema.COLLATIONS a, information_schema.COLLATIONS b,
			information_schema.COLLATIONS c, information_schema.COLLATIONS d WHERE a.ID + b.ID + c.ID + d.ID = -1`,
			func(*sql.Rows) error { return nil })
		wantProblem(t, err, CodeTimeout, "stopped by", "1 s", r.login.Addr)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("the server stopped it only after %v", took)
		}
		if len(s.lost) != 0 {
			t.Error("a statement that the server stopped counts as still running")
		}
	})
}

func TestTheMarkerIsSeenOnARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		user := r.user(t, "s3cret", "")
		s := r.open(t, r.connection(user, "s3cret", TLSPreferred), defaultLimits)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.each(ctx, "SELECT SLEEP(60)", func(*sql.Rows) error { return nil }) }()
		want := regexp.MustCompile("^" + regexp.QuoteMeta(Marker))
		poll := time.NewTicker(20 * time.Millisecond)
		defer poll.Stop()
		var id, statement string
		for statement == "" {
			select {
			case err := <-done:
				t.Fatalf("the statement ended before it was seen: %v", err)
			case <-poll.C:
			}
			row := r.root.QueryRowContext(t.Context(), "SELECT ID, INFO FROM information_schema.processlist WHERE USER = ? AND INFO LIKE '%SLEEP%'", user)
			if err := row.Scan(&id, &statement); err != nil && err != sql.ErrNoRows {
				t.Fatal(err)
			}
		}
		if !want.MatchString(statement) {
			t.Errorf("the process list shows %q without the marker", statement)
		}
		cancel()
		wantProblem(t, <-done, CodeError, "broken off")
		r.exec(t, "KILL "+id)

		if r.engine != EngineMySQL {
			return // MariaDB's digest table keeps no statement texts
		}
		if _, err := status(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		sample := r.value(t, `SELECT QUERY_SAMPLE_TEXT FROM performance_schema.events_statements_summary_by_digest
			WHERE DIGEST_TEXT = 'SHOW GLOBAL STATUS' AND QUERY_SAMPLE_TEXT LIKE '%leadline-agent%' LIMIT 1`)
		if !want.MatchString(sample) {
			t.Errorf("the digest table shows %q without the marker", sample)
		}
	})
}

func TestAtMostThreeConnectionsOnARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		// The server refuses a fourth with error 1226.
		user := r.user(t, "s3cret", "WITH MAX_USER_CONNECTIONS 3")
		s := r.open(t, r.connection(user, "s3cret", TLSPreferred), defaultLimits)
		var readers sync.WaitGroup
		for range 12 {
			readers.Go(func() {
				for range 5 {
					if _, err := status(t.Context(), s); err != nil {
						t.Error(err)
					}
				}
			})
		}
		readers.Wait()
	})
}

func TestTLSOnARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		offered := 0 // MySQL makes itself a certificate, MariaDB before 11.4 does not
		if r.engine == EngineMySQL || r.value(t, "SELECT @@have_ssl") == "YES" {
			offered = 1
		}
		user := r.user(t, "s3cret", "")
		for _, c := range []struct{ mode, want string }{
			{TLSOff, "not encrypted"},
			{TLSPreferred, []string{"not encrypted", ", encrypted with TLS_"}[offered]},
			{TLSSkipVerify, []string{"offers no TLS", ", encrypted with TLS_"}[offered]},
			{TLSRequired, []string{"offers no TLS", "The certificate of"}[offered]},
		} {
			items := r.open(t, r.connection(user, "s3cret", c.mode), defaultLimits).Check(t.Context())
			if !strings.Contains(items[0].Detail, c.want) {
				t.Errorf("tls %s: %+v, want %q", c.mode, items[0], c.want)
			}
			if !items[0].OK && items[0].Code != CodeTLS {
				t.Errorf("tls %s: code %s, want tls", c.mode, items[0].Code)
			}
		}
		if offered == 0 {
			return
		}
		strict := r.user(t, "s3cret", "REQUIRE SSL")
		if _, err := status(t.Context(), r.open(t, r.connection(strict, "s3cret", TLSSkipVerify), defaultLimits)); err != nil {
			t.Error(err)
		}
		_, err := status(t.Context(), r.open(t, r.connection(strict, "s3cret", TLSOff), defaultLimits))
		wantProblem(t, err, CodeDenied, "set tls to required")
	})
}

func TestTheSocketOfARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		path := r.value(t, "SELECT @@socket")
		if _, err := os.Stat(path); err != nil {
			t.Skipf("the server's socket cannot be reached from here: %v", err)
		}
		user := r.user(t, "s3cret", "")
		c := r.connection(user, "s3cret", TLSPreferred)
		c.Address = "unix:" + path
		items := r.open(t, c, defaultLimits).Check(t.Context())
		if !items[0].OK || !strings.Contains(items[0].Detail, "over a local socket") {
			t.Errorf("Check = %+v", items[0])
		}
	})
}

func TestCheckOfARealServer(t *testing.T) {
	onRealServers(t, func(t *testing.T, r realServer) {
		items := r.openMonitor(t, defaultLimits).Check(t.Context())
		names := make([]string, 0, len(items))
		for _, item := range items {
			names = append(names, item.Item)
			if !item.OK || item.Detail == "" {
				t.Errorf("%+v", item)
			}
		}
		want := []string{"connection", "version", "privilege PROCESS", "privilege REPLICATION CLIENT"}
		if r.engine == EngineMariaDB {
			want = append(want, "privilege SLAVE MONITOR")
		}
		want = append(want, "performance_schema", "slow log")
		if !slices.Equal(names, want) {
			t.Errorf("Check looks at %q, want %q", names, want)
		}
		r.exec(t, "SET GLOBAL slow_query_log = OFF")
		r.exec(t, "SET GLOBAL long_query_time = 0.25")
		defer r.exec(t, "SET GLOBAL long_query_time = DEFAULT")
		last := func() CheckItem {
			items := r.openMonitor(t, defaultLimits).Check(t.Context())
			return items[len(items)-1]
		}
		if item := last(); item.Fix != "SET GLOBAL slow_query_log = ON;" {
			t.Errorf("with the slow log off: %+v", item)
		}
		r.exec(t, last().Fix)
		if item := last(); !strings.Contains(item.Detail, "over 0.25 s") || item.Fix != "" {
			t.Errorf("with the slow log on: %+v", item)
		}
		r.exec(t, "SET GLOBAL slow_query_log = DEFAULT")
	})
}

// The agent's share of the server's time: one pass, as the server measures it.
func BenchmarkPassOnARealServer(b *testing.B) {
	dsn := os.Getenv("LEADLINE_TEST_MARIADB")
	if dsn == "" {
		b.Skip("LEADLINE_TEST_MARIADB names no server")
	}
	login, err := driver.ParseDSN(dsn)
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(Connection{Address: login.Addr, User: login.User, Password: func() (string, error) { return login.Passwd, nil }})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	collectors, samples := s.Collectors(), 0
	b.ReportAllocs()
	for b.Loop() {
		samples = 0
		for _, c := range collectors {
			if err := c.Collect(b.Context(), func(string, float64, ...model.Label) { samples++ }); err != nil {
				b.Fatal(fmt.Errorf("%s: %w", c.Name(), err))
			}
		}
	}
	b.ReportMetric(float64(samples), "samples/pass")
}
