package mysql

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// words are the texts that stand for a number, in any case.
var words = []struct {
	text  string
	value float64
}{
	{"ON", 1},
	{"YES", 1},
	{"OFF", 0},
	{"NO", 0},
	{"DISABLED", 0},
	{"CONNECTING", 0}, // a replica's thread that does not run yet
	{"PRIMARY", 1},
	{"NON-PRIMARY", 0},
	{"DISCONNECTED", 0}, // wsrep_cluster_status
}

// dates are the forms of Ssl_server_not_after ("Nov 18 05:01:44 2036 GMT", a
// single-digit day after two spaces) and of timestamps; they become Unix seconds.
var dates = []string{"Jan _2 15:04:05 2006 MST", "2006-01-02 15:04:05"}

// number reads a status or variable value as mysqld_exporter does: numbers,
// words and dates count, all other text is left out.
func number(value []byte) (float64, bool) {
	if len(value) == 0 {
		return 0, false
	}
	if plain(value) {
		if n, err := strconv.ParseFloat(string(value), 64); err == nil {
			return n, true
		}
	}
	for i := range words {
		if len(value) == len(words[i].text) && bytes.EqualFold(value, []byte(words[i].text)) {
			return words[i].value, true
		}
	}
	if bytes.Count(value, []byte(":")) == 2 && len(value) <= len("Nov 18 05:01:44 2036 CEST") {
		for _, form := range dates {
			if at, err := time.Parse(form, string(value)); err == nil {
				return float64(at.Unix()), true
			}
		}
	}
	return 0, false
}

// plain tells what can be a number: a failed parse would cost memory.
func plain(value []byte) bool {
	for _, c := range value {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return false
		}
	}
	return true
}

// metricName makes a status or variable name fit for a metric.
func metricName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}
