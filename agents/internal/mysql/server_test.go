package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/agents/internal/model"
)

// keep gathers samples by name and labels.
func keep(into map[string]float64) model.Emit {
	return func(name string, value float64, labels ...model.Label) {
		into[key(name, labels)] = value
	}
}

func key(name string, labels []model.Label) string {
	if len(labels) == 0 {
		return name
	}
	pairs := make([]string, 0, len(labels))
	for _, l := range labels {
		pairs = append(pairs, fmt.Sprintf("%s=%q", l.Name, l.Value))
	}
	return name + "{" + strings.Join(pairs, ",") + "}"
}

// wantProblem fails unless err is a Problem of this code whose sentence holds
// the parts; every sentence must be one, and hold no password.
func wantProblem(t *testing.T, err error, code string, parts ...string) {
	t.Helper()
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("error %v is no Problem", err)
	}
	if p.Code != code {
		t.Errorf("code %s, want %s: %s", p.Code, code, p.Sentence)
	}
	for _, part := range parts {
		if !strings.Contains(p.Sentence, part) {
			t.Errorf("%q is not in: %s", part, p.Sentence)
		}
	}
	if strings.Contains(p.Sentence, "s3cret") {
		t.Errorf("a password is in: %s", p.Sentence)
	}
	if strings.ContainsAny(p.Sentence, "\n") || p.Sentence[0] == ' ' || strings.Contains(p.Sentence, "%!") {
		t.Errorf("not one sentence: %q", p.Sentence)
	}
}

func TestEveryStatementBeginsWithTheMarker(t *testing.T) {
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		if isSet(statement) {
			send(conn, 1, okReply)
			return
		}
		sendError(conn, 1064, "You have an error in your SQL syntax near '"+statement+"'")
	})
	s := openFake(t, f, quick)
	_, err := s.Probe(t.Context())
	wantProblem(t, err, CodeError, "1064", "near '?'")
	for _, c := range s.Collectors() {
		err := c.Collect(t.Context(), keep(map[string]float64{}))
		wantProblem(t, err, CodeError, "1064")
	}
	s.Check(t.Context())
	statements := f.seen()
	if len(statements) < 4 {
		t.Fatalf("only %d statements were seen", len(statements))
	}
	for _, statement := range statements {
		if !strings.HasPrefix(statement, Marker) {
			t.Errorf("%q does not begin with the marker", statement)
		}
	}
}

func TestAServerThatHangsInMidReplyIsGivenUp(t *testing.T) {
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		if isSet(statement) {
			send(conn, 1, okReply)
			return
		}
		sendRows(conn, true, [2]string{"Uptime", "7"}, [2]string{"Threads_running", "1"})
	})
	s := openFake(t, f, quick)
	for range maxConnections {
		got, err := status(t.Context(), s)
		wantProblem(t, err, CodeTimeout, f.listener.Addr().String(), "0.1 s")
		if len(got) != 1 || got["mysql_global_status_uptime"] != 7 {
			t.Errorf("before the hang %v was read, want uptime 7", got)
		}
	}
	// Three statements may still run there: a fourth connection would break the promise.
	before := len(f.seen())
	_, err := status(t.Context(), s)
	wantProblem(t, err, CodeTimeout, "unanswered")
	if after := len(f.seen()); after != before {
		t.Errorf("%d statements were sent to a server that hangs", after-before)
	}
}

func TestAServerThatRecoversIsAskedAgain(t *testing.T) {
	var hangs atomic.Bool
	hangs.Store(true)
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		switch {
		case isSet(statement):
			send(conn, 1, okReply)
		case !hangs.Load():
			sendRows(conn, false, [2]string{"Uptime", "8"})
		}
	})
	l := quick
	l.lost = 300 * time.Millisecond
	s := openFake(t, f, l)
	for range maxConnections {
		if _, err := status(t.Context(), s); err == nil {
			t.Fatal("a hanging server was read")
		}
	}
	hangs.Store(false)
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		got, err := status(t.Context(), s)
		if err == nil {
			if got["mysql_global_status_uptime"] != 8 {
				t.Errorf("read %v, want uptime 8", got)
			}
			return
		}
		select {
		case <-retry.C:
		case <-deadline.C:
			t.Fatalf("the server recovered and is still not read: %v", err)
		}
	}
}

func TestAtMostThreeConnections(t *testing.T) {
	full := make(chan struct{})
	var waiting atomic.Int32
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		if isSet(statement) {
			send(conn, 1, okReply)
			return
		}
		if waiting.Add(1) == maxConnections {
			close(full)
		}
		<-full // nobody is answered before three are connected
		sendRows(conn, false, [2]string{"Uptime", "9"})
	})
	l := quick
	l.reply = 20 * time.Second
	s := openFake(t, f, l)
	var readers sync.WaitGroup
	for range 12 {
		readers.Go(func() {
			if _, err := status(t.Context(), s); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.most != maxConnections || len(f.conns) != maxConnections {
		t.Errorf("%d connections at a time, %d in all, want %d", f.most, len(f.conns), maxConnections)
	}
}

func TestThePasswordIsAskedForAtEachNewConnection(t *testing.T) {
	f := newFakeServer(t, func(conn net.Conn, _ string) { send(conn, 1, okReply) })
	var asked atomic.Int32
	broken := errors.New("state file is gone")
	s, err := Open(Connection{
		Address: f.listener.Addr().String(), User: "leadline", TLS: TLSPreferred,
		Password: func() (string, error) {
			if asked.Add(1) > 2 {
				return "", broken
			}
			return "s3cret", nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for want := range int32(2) {
		if err := s.db.PingContext(t.Context()); err == nil {
			t.Fatal("the fake server answers no ping")
		}
		if asked.Load() <= want {
			t.Errorf("the password was asked for %d times, want more than %d", asked.Load(), want)
		}
		f.hangUp()
	}
	_, err = s.Probe(t.Context())
	wantProblem(t, err, CodeError, "state file is gone", `"leadline"`)
}

func TestAnEndedConnection(t *testing.T) {
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		if isSet(statement) {
			send(conn, 1, okReply)
			return
		}
		_ = conn.Close()
	})
	_, err := status(t.Context(), openFake(t, f, defaultLimits))
	wantProblem(t, err, CodeUnreachable, "ended the connection", f.listener.Addr().String())
}

func TestTheServersRefusals(t *testing.T) {
	for _, c := range []struct {
		number  uint16
		message string
		code    string
		parts   []string
	}{
		{1045, "Access denied for user 'leadline'@'h' (using password: YES)", CodeDenied, []string{`"leadline"`, "correct the password", "127.0.0.1:", "required"}},
		{1698, "Access denied for user 'leadline'@'h'", CodeDenied, []string{`"leadline"`}},
		{1130, "Host 'h' is not allowed", CodeDenied, []string{"from this host"}},
		{1129, "Host 'h' is blocked", CodeDenied, []string{"flush-hosts"}},
		{1862, "Your password has expired", CodeDenied, []string{"ALTER USER"}},
		{3118, "Account is locked", CodeDenied, []string{"ACCOUNT UNLOCK"}},
		{4151, "Access denied, this account is locked", CodeDenied, []string{"ACCOUNT UNLOCK"}},
		{1040, "Too many connections", CodeError, []string{"max_connections"}},
		{1203, "User already has more than", CodeError, []string{"MAX_USER_CONNECTIONS", "at least 3"}},
		{1142, "SELECT command denied to user for table `performance_schema`.`x`", CodeGrant, []string{"GRANT SELECT ON performance_schema.* TO 'leadline'@'%';"}},
		{1227, "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation", CodeGrant, []string{"GRANT PROCESS ON *.* TO 'leadline'@'%';"}},
		{1227, "Access denied; you need (at least one of) the SUPER, SLAVE MONITOR privilege(s) for this operation", CodeGrant, []string{"GRANT SUPER ON"}},
		{1227, "Zugriff verweigert", CodeGrant, []string{"check"}},
		{3159, "Connections using insecure transport are prohibited", CodeTLS, []string{"set tls to required"}},
		{1969, "Query execution was interrupted (max_statement_time exceeded)", CodeTimeout, []string{"stopped by", "1 s"}},
		{3024, "maximum statement execution time exceeded", CodeTimeout, []string{"stopped by"}},
		{1053, "Server shutdown in progress", CodeUnreachable, []string{"by itself"}},
		{1062, "Duplicate entry 'O'Brien-4111' for key 'PRIMARY'", CodeError, []string{"Error 1062", "Duplicate entry '?'"}},
	} {
		t.Run(fmt.Sprint(c.number, " ", c.message), func(t *testing.T) {
			f := newFakeServer(t, func(conn net.Conn, statement string) {
				if isSet(statement) {
					send(conn, 1, okReply)
					return
				}
				sendError(conn, c.number, c.message)
			})
			_, err := status(t.Context(), openFake(t, f, quick))
			wantProblem(t, err, c.code, c.parts...)
			if strings.Contains(err.Error(), "Brien") {
				t.Errorf("a literal left in: %v", err)
			}
		})
	}
}

func TestAServerWithoutTheSessionSettingsIsReadAllTheSame(t *testing.T) {
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		if isSet(statement) {
			sendError(conn, unknownVariable, "Unknown system variable 'lock_wait_timeout'")
			return
		}
		sendRows(conn, false, [2]string{"Uptime", "1"})
	})
	if _, err := status(t.Context(), openFake(t, f, quick)); err != nil {
		t.Error(err)
	}
}

func TestUnreachable(t *testing.T) {
	var config net.ListenConfig
	closed, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	mute, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts, never greets
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mute.Close() }()
	l := quick
	l.connect = 100 * time.Millisecond
	for _, c := range []struct{ address, part string }{
		{free, "Nothing listens at " + free},
		{"no-such-host.invalid:3306", `The host name "no-such-host.invalid" is not known`},
		{"unix:" + t.TempDir() + "/none.sock", "There is no socket at /"},
		{mute.Addr().String(), "No connection to the database at " + mute.Addr().String() + " within 0.1 s"},
	} {
		s, err := open(Connection{Address: c.address, User: "leadline"}, l)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Probe(t.Context())
		wantProblem(t, err, CodeUnreachable, c.part)
		items := s.Check(t.Context())
		if len(items) != 1 || items[0].OK || items[0].Item != "connection" || items[0].Code != CodeUnreachable {
			t.Errorf("Check = %+v, want the failed connection alone", items)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestACallerThatGivesUp(t *testing.T) {
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		if isSet(statement) {
			send(conn, 1, okReply)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	l := quick
	l.reply = time.Hour
	s := openFake(t, f, l)
	done := make(chan error)
	go func() {
		_, err := status(ctx, s)
		done <- err
	}()
	cancel()
	wantProblem(t, <-done, CodeError, "broken off")
}

func TestOpenNamesTheWrongField(t *testing.T) {
	for _, c := range []struct {
		connection Connection
		field      string
	}{
		{Connection{Address: "localhost:3306"}, "user:"},
		{Connection{Address: "localhost", User: "u"}, "address:"},
		{Connection{Address: ":3306", User: "u"}, "address:"},
		{Connection{Address: "::1:3306", User: "u"}, "address:"},
		{Connection{Address: "h:0", User: "u"}, "address:"},
		{Connection{Address: "h:65536", User: "u"}, "address:"},
		{Connection{Address: "h:mysql", User: "u"}, "address:"},
		{Connection{Address: "unix:relative.sock", User: "u"}, "address:"},
		{Connection{Address: "h:3306", User: "u", TLS: "on"}, "tls:"},
	} {
		s, err := Open(c.connection)
		if err == nil || !strings.HasPrefix(err.Error(), c.field) {
			t.Errorf("Open(%+v): error %v does not name %s", c.connection, err, c.field)
		}
		if s != nil {
			t.Errorf("Open(%+v) gives a server", c.connection)
		}
	}
	for _, address := range []string{"h:3306", "[::1]:3306", "127.0.0.1:1", "unix:/run/mysqld/mysqld.sock"} {
		if _, err := checkTarget(Connection{Address: address, User: "u"}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
