package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/go-sql-driver/mysql"
)

// unknownVariable is what a relative of MySQL without a session setting answers.
const unknownVariable = 1193

// connector opens connections with the password of the moment, and gives each
// its time limits before it is used.
type connector struct {
	driver.Connector

	target target
	limits limits
}

var _ driver.Connector = (*connector)(nil)

// newConnector fills the driver's own settings, never a DSN: a password may
// hold any character.
func newConnector(t target, l limits) (*connector, error) {
	cfg := mysql.NewConfig()
	cfg.User = t.User
	cfg.Net = t.network
	cfg.Addr = t.address
	cfg.TLS = t.tlsConfig()
	cfg.AllowFallbackToPlaintext = t.TLS == TLSPreferred
	cfg.Timeout = l.connect
	// The contexts end first and tell a slow server from a closed connection;
	// these are for where the driver has none, such as the farewell.
	cfg.ReadTimeout = l.reply + l.connect
	cfg.WriteTimeout = l.connect
	cfg.Logger = &mysql.NopLogger{} // it would print errors that are returned as well
	cfg.ConnectionAttributes = "program_name:leadline-agent"
	err := cfg.Apply(mysql.BeforeConnect(func(_ context.Context, cfg *mysql.Config) error {
		if t.Password == nil {
			return nil
		}
		password, err := t.Password()
		if err != nil {
			return &Problem{CodeError, fmt.Sprintf("The password of user %q for %s could not be read: %v.", t.User, t.Address, err)}
		}
		cfg.Passwd = password
		return nil
	}))
	if err != nil {
		return nil, fmt.Errorf("database driver: %w", err)
	}
	inner, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("database driver: %w", err)
	}
	return &connector{Connector: inner, target: t, limits: l}, nil
}

// Connect logs in and sets the session's limits; an error is a *Problem.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.connect)
	defer cancel()
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, c.problem(ctx, err)
	}
	if err := c.limit(ctx, conn); err != nil {
		return nil, c.problem(ctx, errors.Join(err, conn.Close()))
	}
	return conn, nil
}

// limit bounds every statement of the session. Each server reads only its own
// part: MariaDB skips comments marked 50700 to 50999 and knows
// max_statement_time (seconds, all statements) since 10.1.1; MySQL skips those
// marked M and knows max_execution_time (milliseconds, SELECT only) since 5.7.8.
func (c *connector) limit(ctx context.Context, conn driver.Conn) error {
	session, ok := conn.(driver.ExecerContext)
	if !ok {
		return errors.New("the database driver cannot execute statements")
	}
	seconds := c.limits.statement.Seconds()
	_, err := session.ExecContext(ctx, fmt.Sprintf(
		Marker+"SET SESSION lock_wait_timeout = %d /*M!100101 , max_statement_time = %g */ /*!50708 , max_execution_time = %d */",
		max(1, int(seconds)), seconds, c.limits.statement/time.Millisecond), nil)
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == unknownVariable {
		return nil // the limit on this side holds all the same
	}
	return err //nolint:wrapcheck // Connect makes the sentence.
}

func (c *connector) problem(ctx context.Context, err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	if ctx.Err() != nil {
		return c.target.silent(ctx.Err(), c.limits.connect)
	}
	return explain(c.target, "", c.limits, err)
}
