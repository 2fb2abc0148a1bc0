package mysql

// Reads SELECT VERSION(), @@version_comment, CURRENT_USER(), @@performance_schema.

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Identity is what a server says it is.
type Identity struct {
	Engine  string // EngineMySQL or EngineMariaDB
	Version string // as the server says it, "10.11.6-MariaDB-log"
}

// rights is what the account may do, kept for limits.grants.
type rights struct {
	account string // 'user'@'host' as the server matched it
	missing []privilege
	readAt  time.Time
}

// Probe connects and asks the server who it is. The error is a *Problem. A
// missing privilege comes as Problem grant together with the Identity: the
// server is up and is read, less what that privilege opens.
func (s *Server) Probe(ctx context.Context) (Identity, error) {
	about, err := s.introduce(ctx)
	if err != nil {
		return Identity{}, err
	}
	identity := Identity{Engine: about.version.engine, Version: about.version.text}
	missing, err := s.missingPrivileges(ctx, about)
	if err != nil {
		return identity, err
	}
	if len(missing) > 0 {
		return identity, s.target.lacks(about.account, missing...)
	}
	return identity, nil
}

// introduction is the first thing read from a server.
type introduction struct {
	version             version
	account             string
	performanceSchemaOn bool
}

func (s *Server) introduce(ctx context.Context) (introduction, error) {
	var about introduction
	err := s.each(ctx, "SELECT VERSION(), @@version_comment, CURRENT_USER(), @@performance_schema", func(rows *sql.Rows) error {
		var text, comment, account string
		if err := rows.Scan(&text, &comment, &account, &about.performanceSchemaOn); err != nil {
			return err //nolint:wrapcheck // each makes the sentence.
		}
		about.version = readVersion(text, comment)
		at := strings.LastIndexByte(account, '@')
		if at < 0 {
			at = len(account)
			account += "@"
		}
		about.account = quoteAccount(account[:at], account[at+1:])
		return nil
	})
	return about, err
}

// missingPrivileges answers from memory while the last verdict is fresh and
// nothing was missing; what is missing may be granted at any moment.
func (s *Server) missingPrivileges(ctx context.Context, about introduction) ([]privilege, error) {
	s.mu.Lock()
	known := s.rights
	s.mu.Unlock()
	if known.account == about.account && len(known.missing) == 0 && time.Since(known.readAt) < s.limits.grants {
		return nil, nil
	}
	held, err := s.readGrants(ctx)
	var refusal *Problem
	if errors.As(err, &refusal) && refusal.Code == CodeError {
		// Some proxies do not know SHOW GRANTS: then the readers themselves tell.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	missing := held.missing(neededPrivileges(about.version))
	s.mu.Lock()
	s.rights = rights{account: about.account, missing: missing, readAt: time.Now()}
	s.mu.Unlock()
	return missing, nil
}
