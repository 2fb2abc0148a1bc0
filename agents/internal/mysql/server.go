// Package mysql reads MySQL, MariaDB and their relatives over one small,
// well-behaved set of connections, and reports under mysqld_exporter's names.
//
// Guest manners: at most three connections; every statement begins with a
// marker comment and runs under a time limit on both sides; nothing is locked
// or written; the password is asked for again at each new connection.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"leadline/agents/internal/model"
)

// Marker begins every statement the agent sends, so that its own load can be
// found in process lists and logs, and left out.
const Marker = "/* leadline-agent */ "

// maxConnections is the promise to every database we watch.
const maxConnections = 3

// limits bound what the agent waits for and what a server is made to do.
type limits struct {
	connect   time.Duration // dial, TLS and login together
	statement time.Duration // enforced by the server where it can
	reply     time.Duration // a whole statement, seen from here
	lost      time.Duration // how long an unanswered statement counts as running
	idle      time.Duration // before an unused connection is closed
	life      time.Duration // before a used connection is renewed
	grants    time.Duration // how long a verdict on the privileges is kept
}

var defaultLimits = limits{
	connect:   5 * time.Second,
	statement: 5 * time.Second,
	reply:     8 * time.Second,
	lost:      time.Minute,
	idle:      2 * time.Minute,
	life:      10 * time.Minute,
	grants:    30 * time.Second,
}

// Server is one watched server. Its methods may be called side by side.
type Server struct {
	target target
	db     *sql.DB
	limits limits

	mu     sync.Mutex
	lost   []time.Time // until when each unanswered statement counts as running
	rights rights      // what the last probe found out about the account
}

// Open checks c and prepares a Server without connecting. The error says in
// one sentence which field is wrong.
func Open(c Connection) (*Server, error) { return open(c, defaultLimits) }

func open(c Connection, l limits) (*Server, error) {
	t, err := checkTarget(c)
	if err != nil {
		return nil, err
	}
	login, err := newConnector(t, l)
	if err != nil {
		return nil, err
	}
	s := &Server{target: t, limits: l, db: sql.OpenDB(login)}
	s.db.SetMaxOpenConns(maxConnections)
	s.db.SetMaxIdleConns(maxConnections)
	s.db.SetConnMaxIdleTime(l.idle)
	s.db.SetConnMaxLifetime(l.life)
	return s, nil
}

// Close ends all connections.
func (s *Server) Close() error {
	if err := s.db.Close(); err != nil {
		return s.problem(err)
	}
	return nil
}

// Collectors are the readers of this server, each independent of the others.
// mysql_up is not among them: Probe tells it.
func (s *Server) Collectors() []model.Collector {
	return []model.Collector{newGlobalStatus(s), newGlobalVariables(s)}
}

// each runs one statement and hands every row to read. All statements pass
// here: it adds the marker, the time limit and the sentence; an error is
// always a *Problem.
func (s *Server) each(ctx context.Context, statement string, read func(*sql.Rows) error) error {
	if err := s.makeRoom(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limits.reply)
	defer cancel()
	err := s.run(ctx, statement, read)
	if err == nil {
		return nil
	}
	var known *Problem
	if !errors.As(err, &known) && ctx.Err() != nil {
		s.countLost()
		err = ctx.Err()
	}
	return s.problem(err)
}

func (s *Server) run(ctx context.Context, statement string, read func(*sql.Rows) error) (err error) {
	rows, err := s.db.QueryContext(ctx, Marker+statement)
	if err != nil {
		return err //nolint:wrapcheck // each makes the sentence.
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := read(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// countLost notes that a statement was given up. The server learns of it only
// when it wants to answer, so until then its connection still counts as ours.
func (s *Server) countLost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lost) < maxConnections {
		s.lost = append(s.lost, time.Now().Add(s.limits.lost))
	}
}

// makeRoom lets the pool open as many connections as the lost ones leave.
func (s *Server) makeRoom() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.lost)
	for len(s.lost) > 0 && time.Now().After(s.lost[0]) {
		s.lost = s.lost[1:]
	}
	if len(s.lost) == maxConnections {
		return s.target.crowded(s.limits.lost)
	}
	if before > 0 {
		s.db.SetMaxOpenConns(maxConnections - len(s.lost))
		s.db.SetMaxIdleConns(maxConnections - len(s.lost))
	}
	return nil
}

// problem makes the sentence for an error; one that has its own stays.
func (s *Server) problem(err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	s.mu.Lock()
	account := s.rights.account
	s.mu.Unlock()
	return explain(s.target, account, s.limits, err)
}
