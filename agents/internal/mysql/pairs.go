package mysql

import (
	"context"
	"database/sql"
	"strings"

	"leadline/agents/internal/model"
)

// series is where a status value goes; one without a metric is left out.
type series struct {
	metric string
	labels []model.Label
}

// maxNames bounds what is remembered; servers have about 1,200 names.
const maxNames = 10_000

// pairs reads a statement that answers name and value, such as SHOW GLOBAL
// STATUS. What a name becomes is worked out once.
type pairs struct {
	server    *Server
	statement string
	place     func(name string) series
	texts     map[string]string // values that are no number, by the names wanted
	places    map[string]series
}

// read emits every value that counts as a number and gathers the wanted texts.
func (p *pairs) read(ctx context.Context, emit model.Emit) error {
	for name := range p.texts {
		p.texts[name] = ""
	}
	var name, value sql.RawBytes
	return p.server.each(ctx, p.statement, func(rows *sql.Rows) error {
		if err := rows.Scan(&name, &value); err != nil {
			return err //nolint:wrapcheck // each makes the sentence.
		}
		p.row(name, value, emit)
		return nil
	})
}

func (p *pairs) row(name, value []byte, emit model.Emit) {
	n, ok := number(value)
	if !ok {
		if _, wanted := p.texts[string(name)]; wanted {
			p.texts[string(name)] = strings.ToValidUTF8(string(value), "\uFFFD")
		}
		return
	}
	to, ok := p.places[string(name)]
	if !ok {
		if len(p.places) >= maxNames {
			clear(p.places)
		}
		to = p.place(string(name))
		p.places[string(name)] = to
	}
	if to.metric != "" {
		emit(to.metric, n, to.labels...)
	}
}
