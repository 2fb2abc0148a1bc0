package mysql

import (
	"strconv"
	"testing"
)

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func sameNumber(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := strconv.ParseFloat(a, 64)
	if err != nil {
		t.Fatal(err)
	}
	y, err := strconv.ParseFloat(b, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x == y
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{"0", 0},
		{"18446744073709551615", 18446744073709551615},
		{"-1", -1},
		{"0.250000", 0.25},
		{"1e+20", 1e20},
		{"ON", 1},
		{"on", 1},
		{"Yes", 1},
		{"YES", 1},
		{"OFF", 0},
		{"No", 0},
		{"DISABLED", 0},
		{"Connecting", 0},
		{"Primary", 1},
		{"non-Primary", 0},
		{"Disconnected", 0},
		{"Nov 18 05:01:44 2036 GMT", 2110597304},
		{"Nov  8 05:01:44 2036 GMT", 2109733304},
		{"2026-11-21 05:01:44", 1795237304},
	} {
		got, ok := number([]byte(c.text))
		if !ok || got != c.want {
			t.Errorf("number(%q) = %v, %v, want %v", c.text, got, ok, c.want)
		}
	}
	for _, text := range []string{"", "-", "e", "1.2.3", "10.11.6-MariaDB", "db1-bin.000123", "nan", "inf", "0x10", "ROW", "12:34:56", "a:b:c"} {
		if got, ok := number([]byte(text)); ok {
			t.Errorf("number(%q) = %v, want none", text, got)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"ON", "1e5", "Nov 18 05:01:44 2036 GMT", "2026-11-21 05:01:44"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		got, ok := number(value)
		if !ok && got != 0 {
			t.Errorf("number(%q) = %v without being one", value, got)
		}
	})
}

func TestMetricName(t *testing.T) {
	if got := metricName("Ssl.Server-Not é"); got != "ssl_server_not__" {
		t.Errorf("metricName = %q", got)
	}
}

func TestGalera(t *testing.T) {
	got := map[string]float64{}
	emit := keep(got)
	status, variables := newGlobalStatus(nil), newGlobalVariables(nil)
	for _, row := range [][2]string{
		{"wsrep_local_state_uuid", "aaaa-1"},
		{"wsrep_cluster_state_uuid", "bbbb-2"},
		{"wsrep_provider_version", "26.4.14(r06a0c28)"},
		{"wsrep_evs_repl_latency", "0.0001/0.0002/0.0003/1e-05/4"},
		{"wsrep_cluster_status", "Primary"},
		{"wsrep_cluster_size", "3"},
	} {
		status.row([]byte(row[0]), []byte(row[1]), emit)
	}
	status.emitGalera(emit)
	variables.row([]byte("wsrep_cluster_name"), []byte("west"), emit)
	variables.row([]byte("wsrep_provider_options"), []byte("gcache.page_size = 4M; gcache.size = 128M; gcs.fc_limit = 16;"), emit)
	variables.emitTexts(emit)
	for series, want := range map[string]float64{
		`mysql_galera_status_info{wsrep_local_state_uuid="aaaa-1",wsrep_cluster_state_uuid="bbbb-2",wsrep_provider_version="26.4.14(r06a0c28)"}`: 1,
		"mysql_galera_evs_repl_latency_min_seconds":              0.0001,
		"mysql_galera_evs_repl_latency_avg_seconds":              0.0002,
		"mysql_galera_evs_repl_latency_max_seconds":              0.0003,
		"mysql_galera_evs_repl_latency_stdev":                    1e-05,
		"mysql_galera_evs_repl_latency_sample_size":              4,
		"mysql_global_status_wsrep_cluster_status":               1,
		"mysql_global_status_wsrep_cluster_size":                 3,
		`mysql_galera_variables_info{wsrep_cluster_name="west"}`: 1,
		"mysql_galera_gcache_size_bytes":                         128 << 20,
	} {
		if value, ok := got[series]; !ok || value != want {
			t.Errorf("%s = %v, %v, want %v", series, value, ok, want)
		}
	}
}

func TestGcacheBytes(t *testing.T) {
	for options, want := range map[string]float64{
		"gcache.size = 2G; x": 2 << 30, "gcache.size = 131072; x": 131072, "gcache.size = 64K;": 64 << 10,
	} {
		if got, ok := gcacheBytes(options); !ok || got != want {
			t.Errorf("gcacheBytes(%q) = %v, %v, want %v", options, got, ok, want)
		}
	}
	if got, ok := gcacheBytes("gcache.page_size = 2G;"); ok {
		t.Errorf("a size was found that is not there: %v", got)
	}
}
