package mysql

import (
	"regexp"
	"strings"

	"github.com/go-sql-driver/mysql"

	"leadline/agents/internal/redact"
)

// askedPrivilege finds the privilege in "you need (at least one of) the
// PROCESS privilege(s) for this operation".
var askedPrivilege = regexp.MustCompile(`the ([A-Z][A-Z_ ]*[A-Z])(?:, [A-Z_, ]+)? privilege`)

// refused makes the sentence for an error that the server itself answered.
// Numbers below 1900 are shared; from there on the flavours differ.
func (t target) refused(account string, l limits, err *mysql.MySQLError) *Problem {
	switch err.Number {
	case 1045, 1698: // wrong password or no account; MariaDB's unix_socket plugin
		hint := ""
		if t.TLS == TLSOff {
			hint = ", or set tls to required where the account demands it"
		}
		return t.problem(CodeDenied, "User %q was refused by %s: correct the password, create the account for this host%s.", t.User, t.name(), hint)
	case 1130: // no account for this host at all
		return t.problem(CodeDenied, "No account of %s may log in from this host: create user %q for it.", t.name(), t.User)
	case 1129: // max_connect_errors
		return t.problem(CodeDenied, "This host is blocked by %s after too many failed connections: correct what failed and run mysqladmin flush-hosts there.", t.name())
	case 1820, 1862: // expired
		return t.problem(CodeDenied, "The password of user %q has expired on %s: give the account a new one with ALTER USER.", t.User, t.name())
	case 3118, 4151: // locked: MySQL, MariaDB
		return t.problem(CodeDenied, "The account of user %q is locked on %s: unlock it with ALTER USER … ACCOUNT UNLOCK.", t.User, t.name())
	case 1040:
		return t.problem(CodeError, "No connection is free on %s: raise max_connections or close idle clients.", t.name())
	case 1203, 1226:
		return t.problem(CodeError, "User %q has used up its connections on %s: raise the account's MAX_USER_CONNECTIONS to at least %d.", t.User, t.name(), maxConnections)
	case 1142, 1143: // every table we read is in performance_schema
		return t.lacks(account, readDigests)
	case 1044, 1227, 1370:
		if asked := askedPrivilege.FindStringSubmatch(err.Message); asked != nil {
			return t.lacks(account, privilege{name: asked[1], object: everything})
		}
		return t.problem(CodeGrant, "User %q lacks a privilege on %s: run the agent's check command, which names it.", t.User, t.name())
	case 3159: // require_secure_transport, both flavours
		return t.problem(CodeTLS, "Only encrypted connections are accepted by %s: set tls to required or skip-verify.", t.name())
	case 1205, 1317, 1969, 3024: // lock wait, killed, max_statement_time, max_execution_time
		return t.problem(CodeTimeout, "A statement of the agent was stopped by %s after %s: it is overloaded or holds a lock, see its process list.", t.name(), seconds(l.statement))
	case 1053, 1077, 1079, 1927, 4031: // shutting down, or the connection was killed
		return t.problem(CodeUnreachable, "The connection was ended by %s, which is stopping or had it killed: the agent tries again by itself.", t.name())
	}
	return t.problem(CodeError, "Error %d was answered by %s: %s.", err.Number, t.name(), strings.TrimSuffix(redact.Text(err.Message), "."))
}

// lacks is the sentence for missing privileges, with the statements to run.
func (t target) lacks(account string, missing ...privilege) *Problem {
	names := make([]string, 0, len(missing))
	for _, p := range missing {
		names = append(names, p.String())
	}
	if account == "" {
		account = quoteAccount(t.User, "%")
	}
	return t.problem(CodeGrant, "%s lacks %s on %s: run %s",
		account, strings.Join(names, " and "), t.name(), grantStatements(account, missing))
}
