package mysql

import "testing"

func TestGrants(t *testing.T) {
	maria, mysql9 := readVersion("10.11.6-MariaDB", ""), readVersion("9.7.4-2", "(Debian)")
	for _, c := range []struct {
		name    string
		version version
		lines   []string
		missing string // as statements for 'u'@'h'
	}{
		{"nothing", maria, []string{"GRANT USAGE ON *.* TO `u`@`h` IDENTIFIED BY PASSWORD '*0'"}, "GRANT PROCESS, REPLICATION CLIENT, SLAVE MONITOR ON *.* TO 'u'@'h';"},
		{"MariaDB's new name", maria, []string{"GRANT SELECT, PROCESS, BINLOG MONITOR, SLAVE MONITOR ON *.* TO `u`@`h`"}, ""},
		{"no SLAVE MONITOR before 10.5", readVersion("10.4.30-MariaDB", ""), []string{"GRANT PROCESS, REPLICATION CLIENT ON *.* TO 'u'@'h'"}, ""},
		{"MySQL", mysql9, []string{"GRANT PROCESS, REPLICATION CLIENT ON *.* TO `u`@`h`"}, ""},
		{"over two lines", mysql9, []string{"GRANT PROCESS ON *.* TO `u`@`h`", "GRANT REPLICATION CLIENT ON *.* TO `u`@`h`", "GRANT `r`@`%` TO `u`@`h`"}, ""},
		{"all", mysql9, []string{"GRANT ALL PRIVILEGES ON *.* TO `u`@`h` WITH GRANT OPTION"}, ""},
		{"SUPER opens replication", mysql9, []string{"GRANT SUPER ON *.* TO 'u'@'h'"}, "GRANT PROCESS ON *.* TO 'u'@'h';"},
		{"all of another schema only", mysql9, []string{"GRANT ALL PRIVILEGES ON `shop`.* TO `u`@`h`"}, "GRANT PROCESS, REPLICATION CLIENT ON *.* TO 'u'@'h';"},
	} {
		t.Run(c.name, func(t *testing.T) {
			held := grants{}
			for _, line := range c.lines {
				held.read(line)
			}
			if got := grantStatements("'u'@'h'", held.missing(neededPrivileges(c.version))); got != c.missing {
				t.Errorf("missing %q, want %q", got, c.missing)
			}
		})
	}
}

func TestDigestsCanBeRead(t *testing.T) {
	for line, want := range map[string]bool{
		"GRANT SELECT ON `performance_schema`.* TO `u`@`h`":       true,
		"GRANT SELECT ON `performance\\_schema`.* TO `u`@`h`":     true,
		"GRANT ALL PRIVILEGES ON performance_schema.* TO 'u'":     true,
		"GRANT SELECT, PROCESS ON *.* TO `u`@`h`":                 true,
		"GRANT SELECT ON `performance_schema`.`threads` TO `u`":   false,
		"GRANT SELECT ON `shop`.* TO `u`@`h`":                     false,
		"GRANT SELECT (`a`, `b`) ON `shop`.`t` TO `u`@`h`":        false,
		"GRANT `performance_schema`@`%` TO `u`@`h`":               false,
		"REVOKE SELECT ON `performance_schema`.* FROM `u`@`h`":    false,
		"GRANT PROXY ON ''@'' TO 'u'@'h' WITH GRANT OPTION":       false,
		"GRANT EXECUTE ON PROCEDURE `shop`.`p` TO `u`@`h`":        false,
		"GRANT SELECT ON TABLE `performance_schema`.* TO `u`@`h`": true,
	} {
		held := grants{}
		held.read(line)
		if got := held.hold(readDigests); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	partial := grants{}
	partial.read("GRANT SELECT ON *.* TO `u`@`h`")
	partial.read("REVOKE SELECT ON `performance_schema`.* FROM `u`@`h`")
	if partial.hold(readDigests) {
		t.Error("a revoked schema can be read")
	}
}

func TestQuoteAccount(t *testing.T) {
	if got := quoteAccount(`o'b\x`, "%"); got != `'o''b\\x'@'%'` {
		t.Errorf("quoteAccount = %s", got)
	}
}

func TestReadVersion(t *testing.T) {
	for _, c := range []struct {
		text, comment, engine string
		major, minor          int
	}{
		{"10.11.19-MariaDB-0+deb12u1", "Debian 12", EngineMariaDB, 10, 11},
		{"5.5.5-10.3.39-MariaDB", "", EngineMariaDB, 10, 3},
		{"9.7.4-2", "(Debian)", EngineMySQL, 9, 7},
		{"8.0.36-28", "Percona Server (GPL), Release 28", EngineMySQL, 8, 0},
		{"11.4.2", "MariaDB Server", EngineMariaDB, 11, 4},
		{"odd", "", EngineMySQL, 0, 0},
	} {
		v := readVersion(c.text, c.comment)
		if v.engine != c.engine || v.major != c.major || v.minor != c.minor || v.text != c.text {
			t.Errorf("readVersion(%q, %q) = %+v", c.text, c.comment, v)
		}
	}
}
