package mysql

import (
	"strconv"
	"strings"
)

// Engines.
const (
	EngineMySQL   = "mysql" // Percona Server and Aurora too
	EngineMariaDB = "mariadb"
)

// version is a server's, as far as decisions need it.
type version struct {
	engine       string
	text         string // as the server says it
	major, minor int
}

// readVersion reads VERSION() and @@version_comment: "10.11.6-MariaDB-log",
// "8.0.36-28", "9.7.4". A build whose version names no flavour may name it in
// the comment.
func readVersion(text, comment string) version {
	v := version{engine: EngineMySQL, text: text}
	if containsFold(text, "mariadb") || containsFold(comment, "mariadb") {
		v.engine = EngineMariaDB
	}
	// Replication once made MariaDB put this in front, and some proxies still do.
	number, _, _ := strings.Cut(strings.TrimPrefix(text, "5.5.5-"), "-")
	parts := strings.Split(number, ".")
	v.major = leadingNumber(parts[0])
	if len(parts) > 1 {
		v.minor = leadingNumber(parts[1])
	}
	return v
}

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

// name is the flavour as people write it.
func (v version) name() string {
	if v.engine == EngineMariaDB {
		return "MariaDB"
	}
	return "MySQL"
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), part)
}

func leadingNumber(s string) int {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		return 0
	}
	return n
}
