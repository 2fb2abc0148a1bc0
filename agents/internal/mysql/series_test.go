package mysql

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rows reads a recorded answer of a real server, "name TAB value" a line.
func rows(t *testing.T, path ...string) [][2]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]string
	for line := range strings.Lines(string(content)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("%s: %q is no name and value", path, line)
		}
		out = append(out, [2]string{name, value})
	}
	return out
}

// recorded is what our readers make of the recorded answers.
func recorded(t *testing.T, server string) map[string]string {
	t.Helper()
	got := map[string]float64{}
	emit := keep(got)
	status, variables := newGlobalStatus(nil), newGlobalVariables(nil)
	for _, row := range rows(t, server, "status.tsv") {
		status.row([]byte(row[0]), []byte(row[1]), emit)
	}
	status.emitGalera(emit)
	for _, row := range rows(t, server, "variables.tsv") {
		variables.row([]byte(row[0]), []byte(row[1]), emit)
	}
	variables.emitTexts(emit)
	out := make(map[string]string, len(got))
	for key, value := range got {
		out[key] = formatFloat(value)
	}
	return out
}

// testdata/*/exporter.txt is what mysqld_exporter 0.19 gave for the same server
// in the same minute: status series by name, since their values move, all
// others with their value.
func TestSeriesAreThoseOfMysqldExporter(t *testing.T) {
	for _, server := range []string{"mariadb-10.11", "mysql-9.7"} {
		t.Run(server, func(t *testing.T) {
			got := recorded(t, server)
			content, err := os.ReadFile(filepath.Join("testdata", server, "exporter.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(content)) {
				series, value := strings.TrimSuffix(line, "\n"), ""
				if !strings.HasPrefix(series, "mysql_global_status_") {
					at := strings.LastIndexByte(series, ' ')
					series, value = series[:at], series[at+1:]
				}
				ours, ok := got[series]
				switch {
				case !ok:
					t.Errorf("missing: %s", series)
				case value != "" && !sameNumber(t, ours, value):
					t.Errorf("%s is %s, mysqld_exporter says %s", series, ours, value)
				}
				delete(got, series)
			}
			left := make([]string, 0, len(got))
			for series := range got {
				left = append(left, series)
			}
			slices.Sort(left)
			for _, series := range left {
				t.Errorf("not among mysqld_exporter's: %s", series)
			}
		})
	}
}
