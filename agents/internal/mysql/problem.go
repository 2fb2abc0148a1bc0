package mysql

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"leadline/agents/internal/redact"
)

// Codes of a Problem, as the Leadline server knows them.
const (
	CodeUnreachable = "unreachable" // no connection, or it was ended
	CodeDenied      = "denied"      // the server refuses the account
	CodeGrant       = "grant"       // the account lacks a privilege
	CodeTimeout     = "timeout"     // connected, but no answer in time
	CodeTLS         = "tls"         // encryption or certificate
	CodeError       = "error"       // anything else
)

// Problem is why a server could not be read: a code for programs and one
// sentence for people that says what to do. It never holds a password, and
// what the server said is redacted.
type Problem struct{ Code, Sentence string } //nolint:errname // It is shown as a state as often as it is returned.

// Error is the sentence.
func (p *Problem) Error() string { return p.Sentence }

// explain makes the sentence. account is 'user'@'host' where it is known.
func explain(t target, account string, l limits, err error) *Problem {
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		return t.refused(account, l, refused)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return t.problem(CodeTimeout, "%s gave no answer within %s: it hangs or is overloaded, see its load and its error log.", t.capital(), seconds(l.reply))
	case errors.Is(err, context.Canceled):
		return t.problem(CodeError, "Reading %s was broken off because the agent is stopping or its settings changed.", t.name())
	case errors.Is(err, mysql.ErrCleartextPassword), errors.Is(err, mysql.ErrOldPassword),
		errors.Is(err, mysql.ErrUnknownPlugin), errors.Is(err, mysql.ErrNativePassword):
		return t.problem(CodeDenied, "User %q logs in to %s by a method that the agent does not speak: give the account caching_sha2_password, ed25519 or mysql_native_password.", t.User, t.name())
	}
	if p := t.tlsProblem(err); p != nil {
		return p
	}
	return t.networkProblem(err)
}

func (t target) problem(code, format string, values ...any) *Problem {
	return &Problem{Code: code, Sentence: fmt.Sprintf(format, values...)}
}

// name is how sentences call the server; capital begins one.
func (t target) name() string    { return "the database at " + t.Address }
func (t target) capital() string { return "The database at " + t.Address }

// silent is for a connection that could not be made in time.
func (t target) silent(err error, within time.Duration) *Problem {
	if errors.Is(err, context.Canceled) {
		return explain(t, "", limits{}, err)
	}
	return t.problem(CodeUnreachable, "No connection to %s within %s: check the address, the firewall and whether the server hangs.", t.name(), seconds(within))
}

// crowded is for a server that left as many statements unanswered as the agent
// may have connections.
func (t target) crowded(wait time.Duration) *Problem {
	return t.problem(CodeTimeout, "%s left %d statements unanswered, so the agent asks it again only after %s: see its load and its error log.", t.capital(), maxConnections, seconds(wait))
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) + " s" }

func (t target) tlsProblem(err error) *Problem {
	var unknown x509.UnknownAuthorityError
	var wrongName x509.HostnameError
	var invalid *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, mysql.ErrNoTLS):
		return t.problem(CodeTLS, "%s offers no TLS: enable it there, or set tls to preferred or off.", t.capital())
	case errors.As(err, &unknown):
		return t.problem(CodeTLS, "The certificate of %s comes from an authority this host does not trust: install that authority's certificate here, or set tls to skip-verify.", t.name())
	case errors.As(err, &wrongName):
		return t.problem(CodeTLS, "The certificate of %s is not made out to %q: use the name it is made out to as address, or set tls to skip-verify.", t.name(), t.host)
	case errors.As(err, &invalid):
		return t.problem(CodeTLS, "The certificate of %s is not valid: renew it there, or set tls to skip-verify.", t.name())
	case errors.As(err, &alert), errors.As(err, &record):
		return t.problem(CodeTLS, "TLS with %s failed: check that it speaks TLS 1.2 or later, or set tls to off.", t.name())
	}
	return nil
}

func (t target) networkProblem(err error) *Problem {
	var unknownHost *net.DNSError
	var network net.Error
	switch {
	case errors.As(err, &unknownHost):
		return t.problem(CodeUnreachable, "The host name %q is not known here: correct the address of the database or the name service.", t.host)
	case errors.Is(err, fs.ErrNotExist):
		return t.problem(CodeUnreachable, "There is no socket at %s: start the database or correct the path.", t.address)
	case errors.Is(err, fs.ErrPermission) && t.network == "unix":
		return t.problem(CodeUnreachable, "The agent may not open the socket %s: give its system user the right to it.", t.address)
	case errors.Is(err, syscall.ECONNREFUSED):
		return t.problem(CodeUnreachable, "Nothing listens at %s: start the database or correct the address.", t.Address)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return t.problem(CodeUnreachable, "There is no way from this host to %s: check the address and the network.", t.name())
	case errors.As(err, &network) && network.Timeout():
		return t.problem(CodeUnreachable, "No connection to %s in time: check the address, the firewall and whether the server hangs.", t.name())
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, driver.ErrBadConn):
		return t.problem(CodeUnreachable, "%s ended the connection without an answer: see its error log, and whether this address is a MySQL or MariaDB server.", t.capital())
	}
	return t.problem(CodeError, "Talking to %s failed: %s.", t.name(), redact.Text(err.Error()))
}
