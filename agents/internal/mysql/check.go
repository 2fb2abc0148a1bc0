package mysql

// Reads, after what Probe reads, @@slow_query_log, @@long_query_time,
// @@log_output, @@slow_query_log_file and SHOW SESSION STATUS LIKE 'Ssl_cipher'.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
)

// CheckItem is one line of the check command.
type CheckItem struct {
	Item   string // what was looked at
	OK     bool
	Detail string // one sentence
	Fix    string // the exact statement or setting; with OK, what would give more
	Code   string // of the Problem, where it is not OK
}

// Check goes through all that the agent needs of this server. The first item
// is the connection; where that fails it is the only one.
func (s *Server) Check(ctx context.Context) []CheckItem {
	about, err := s.introduce(ctx)
	if err != nil {
		return []CheckItem{failed("connection", err)}
	}
	items := []CheckItem{
		{Item: "connection", OK: true, Detail: fmt.Sprintf("Logged in to %s as %s%s.", s.target.Address, about.account, s.encryption(ctx))},
		{Item: "version", OK: true, Detail: fmt.Sprintf("%s %s.", about.version.name(), about.version.text)},
	}
	held, err := s.readGrants(ctx)
	if err != nil {
		items = append(items, failed("privileges", err))
	} else {
		items = append(items, checkPrivileges(about, held)...)
	}
	return append(items, checkPerformanceSchema(about, held), s.checkSlowLog(ctx))
}

func failed(item string, err error) CheckItem {
	var p *Problem
	if !errors.As(err, &p) {
		p = &Problem{CodeError, err.Error()}
	}
	return CheckItem{Item: item, Detail: p.Sentence, Code: p.Code}
}

// encryption is the end of a sentence; where it cannot be told it says nothing.
func (s *Server) encryption(ctx context.Context) string {
	if s.target.network == "unix" && s.target.TLS != TLSRequired {
		return " over a local socket"
	}
	var name, cipher string
	err := s.each(ctx, "SHOW SESSION STATUS LIKE 'Ssl_cipher'", func(rows *sql.Rows) error {
		return rows.Scan(&name, &cipher)
	})
	switch {
	case err != nil:
		return ""
	case cipher == "":
		return ", not encrypted"
	}
	return ", encrypted with " + cipher
}

func checkPrivileges(about introduction, held grants) []CheckItem {
	var items []CheckItem
	for _, p := range neededPrivileges(about.version) {
		item := CheckItem{Item: "privilege " + p.name, OK: held.hold(p)}
		if item.OK {
			item.Detail = "Granted, " + p.why + "."
		} else {
			item.Detail = "Missing, needed " + p.why + "."
			item.Fix = grantStatements(about.account, []privilege{p})
			item.Code = CodeGrant
		}
		items = append(items, item)
	}
	return items
}

func checkPerformanceSchema(about introduction, held grants) CheckItem {
	item := CheckItem{Item: "performance_schema", OK: true}
	switch {
	case !about.performanceSchemaOn:
		item.Detail = "Off, so what statements cost is told by the slow log only."
		item.Fix = "performance_schema=ON in the [mysqld] section of the server's settings file, then a restart"
	case !held.hold(readDigests):
		item.Detail = "On, but the account may not read what statements cost."
		item.Fix = grantStatements(about.account, []privilege{readDigests})
	default:
		item.Detail = "On, and the account may read what statements cost."
	}
	return item
}

func (s *Server) checkSlowLog(ctx context.Context) CheckItem {
	const item = "slow log"
	var on bool
	var threshold float64
	var output, path string
	err := s.each(ctx, "SELECT @@slow_query_log, @@long_query_time, @@log_output, @@slow_query_log_file", func(rows *sql.Rows) error {
		return rows.Scan(&on, &threshold, &output, &path)
	})
	switch {
	case err != nil:
		return failed(item, err)
	case !on:
		return CheckItem{Item: item, OK: true, Detail: "Off, so no slow statement is kept.", Fix: "SET GLOBAL slow_query_log = ON;"}
	}
	return CheckItem{Item: item, OK: true, Detail: fmt.Sprintf("On for statements over %s s, written to %s (%s).",
		strconv.FormatFloat(threshold, 'f', -1, 64), path, output)}
}
