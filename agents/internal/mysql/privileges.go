package mysql

// Reads SHOW GRANTS (for the current user, with its active roles).

import (
	"context"
	"database/sql"
	"regexp"
	"strings"
)

// Objects that a privilege can be held on.
const (
	everything        = "*.*"
	performanceSchema = "performance_schema.*"
)

// privilege is one right the agent asks for.
type privilege struct {
	name   string
	object string
	also   []string // other names that bring it, on all objects
	why    string
}

// String is the privilege as a sentence names it.
func (p privilege) String() string {
	if p.object == everything {
		return p.name
	}
	return p.name + " on " + p.object
}

// neededPrivileges are the ones the agent reads with, none of which can write.
// Since 10.5 MariaDB calls REPLICATION CLIENT also BINLOG MONITOR and asks for
// SLAVE MONITOR beside it.
func neededPrivileges(v version) []privilege {
	needed := []privilege{
		{name: "PROCESS", object: everything, why: "to see all sessions and InnoDB's state"},
		{name: "REPLICATION CLIENT", object: everything, also: []string{"BINLOG MONITOR", "SUPER"}, why: "to see the binary log and replication"},
	}
	if v.engine == EngineMariaDB && v.atLeast(10, 5) {
		needed = append(needed, privilege{name: "SLAVE MONITOR", object: everything, why: "to see replication"})
	}
	return needed
}

// readDigests opens what statements cost. Nothing that is read today needs it,
// so it is told by Check and not demanded by Probe.
var readDigests = privilege{name: "SELECT", object: performanceSchema}

// grants is what SHOW GRANTS says, privileges in upper case by object.
type grants map[string]map[string]bool

// "GRANT SELECT, PROCESS ON *.* TO …"; a role's "GRANT `r` TO …" has no ON. MySQL
// 8.0.16 can also take away one schema from *.*: "REVOKE SELECT ON `s`.* FROM …".
var grantLine = regexp.MustCompile(`(?s)^(GRANT|REVOKE) (.+?) ON (?:TABLE )?(\S+) (?:TO|FROM) `)

func (g grants) read(line string) {
	parts := grantLine.FindStringSubmatch(line)
	if parts == nil {
		return
	}
	object := strings.NewReplacer("`", "", `\`, "").Replace(parts[3])
	if g[object] == nil {
		g[object] = map[string]bool{}
	}
	for name := range strings.SplitSeq(parts[2], ", ") {
		g[object][strings.ToUpper(name)] = parts[1] == "GRANT"
	}
}

func (g grants) hold(p privilege) bool {
	if held, named := g[p.object][p.name]; named {
		return held
	}
	if g[p.object]["ALL PRIVILEGES"] || g[everything]["ALL PRIVILEGES"] || g[everything][p.name] {
		return true
	}
	for _, name := range p.also {
		if g[everything][name] {
			return true
		}
	}
	return false
}

func (g grants) missing(needed []privilege) []privilege {
	var missing []privilege
	for _, p := range needed {
		if !g.hold(p) {
			missing = append(missing, p)
		}
	}
	return missing
}

func (s *Server) readGrants(ctx context.Context) (grants, error) {
	held := grants{}
	err := s.each(ctx, "SHOW GRANTS", func(rows *sql.Rows) error {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err //nolint:wrapcheck // each makes the sentence.
		}
		held.read(line)
		return nil
	})
	return held, err
}

// grantStatements are the exact statements that give account what it lacks.
func grantStatements(account string, missing []privilege) string {
	var statements []string
	for _, object := range []string{everything, performanceSchema} {
		var names []string
		for _, p := range missing {
			if p.object == object {
				names = append(names, p.name)
			}
		}
		if len(names) > 0 {
			statements = append(statements, "GRANT "+strings.Join(names, ", ")+" ON "+object+" TO "+account+";")
		}
	}
	return strings.Join(statements, " ")
}

// quoteAccount writes 'user'@'host' so that it can be pasted.
func quoteAccount(user, host string) string {
	quote := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
	}
	return quote(user) + "@" + quote(host)
}
