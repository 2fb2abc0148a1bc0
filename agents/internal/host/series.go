package host

import "leadline/agents/internal/model"

// labelled keeps what was worked out for each name (a device, a CPU), so that
// a pass over known names allocates nothing. Names that come and go (virtual
// interfaces of containers) are forgotten once they outnumber the living.
type labelled[T any] struct {
	known map[string]T
	seen  int
}

// get returns what is kept for name, made by create at first sight.
func (l *labelled[T]) get(name []byte, create func(name string) T) T {
	l.seen++
	if v, ok := l.known[string(name)]; ok {
		return v
	}
	if l.known == nil {
		l.known = make(map[string]T)
	}
	v := create(string(name))
	l.known[string(name)] = v
	return v
}

// endPass drops what has been kept for names that are mostly gone.
func (l *labelled[T]) endPass() {
	if len(l.known) > 2*l.seen+64 {
		clear(l.known)
	}
	l.seen = 0
}

// labelsOf pairs names and values; empty values are left out, as an empty
// label and none are the same thing.
func labelsOf(pairs ...string) []model.Label {
	labels := make([]model.Label, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			labels = append(labels, model.Label{Name: pairs[i], Value: pairs[i+1]})
		}
	}
	return labels
}
