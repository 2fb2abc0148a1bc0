package mysql

// Reads SHOW GLOBAL STATUS (no privilege needed; MySQL 5.1 and MariaDB 5.1 and
// later). Names depend on version, plugins and, on MariaDB, Galera (wsrep_*).

import (
	"context"
	"strconv"
	"strings"

	"leadline/agents/internal/model"
)

// groups are the families that become one metric with a label. The label is
// what follows the prefix.
var groups = []struct{ prefix, metric, label string }{
	{"com_", "mysql_global_status_commands_total", "command"},
	{"handler_", "mysql_global_status_handlers_total", "handler"},
	{"connection_errors_", "mysql_global_status_connection_errors_total", "error"},
	{"innodb_rows_", "mysql_global_status_innodb_row_ops_total", "operation"},
	{"performance_schema_", "mysql_global_status_performance_schema_lost_total", "instrumentation"},
}

// poolPages is the one family whose members go to different metrics.
const poolPages = "innodb_buffer_pool_pages_"

// latencyParts are the figures of wsrep_evs_repl_latency, "min/avg/max/stdev/samples".
var latencyParts = [...]string{
	"mysql_galera_evs_repl_latency_min_seconds",
	"mysql_galera_evs_repl_latency_avg_seconds",
	"mysql_galera_evs_repl_latency_max_seconds",
	"mysql_galera_evs_repl_latency_stdev",
	"mysql_galera_evs_repl_latency_sample_size",
}

type globalStatus struct{ pairs }

var _ model.Collector = (*globalStatus)(nil)

func newGlobalStatus(s *Server) *globalStatus {
	return &globalStatus{pairs{
		server: s, statement: "SHOW GLOBAL STATUS", place: placeStatus, places: make(map[string]series),
		texts: map[string]string{
			"wsrep_local_state_uuid": "", "wsrep_cluster_state_uuid": "",
			"wsrep_provider_version": "", "wsrep_evs_repl_latency": "",
		},
	}}
}

// Name is "global_status".
func (*globalStatus) Name() string { return "global_status" }

// Collect emits mysql_global_status_* and, on Galera, mysql_galera_*.
func (g *globalStatus) Collect(ctx context.Context, emit model.Emit) error {
	if err := g.read(ctx, emit); err != nil {
		return err
	}
	g.emitGalera(emit)
	return nil
}

func (g *globalStatus) emitGalera(emit model.Emit) {
	if g.texts["wsrep_local_state_uuid"] != "" {
		emit("mysql_galera_status_info", 1, labels(
			"wsrep_local_state_uuid", g.texts["wsrep_local_state_uuid"],
			"wsrep_cluster_state_uuid", g.texts["wsrep_cluster_state_uuid"],
			"wsrep_provider_version", g.texts["wsrep_provider_version"])...)
	}
	figures := strings.Split(g.texts["wsrep_evs_repl_latency"], "/")
	if len(figures) != len(latencyParts) {
		return
	}
	var values [len(latencyParts)]float64
	for i, figure := range figures {
		n, err := strconv.ParseFloat(figure, 64)
		if err != nil {
			return
		}
		values[i] = n
	}
	for i, metric := range latencyParts {
		emit(metric, values[i])
	}
}

// placeStatus says which series a status variable is.
func placeStatus(name string) series {
	name = metricName(name)
	if member, ok := strings.CutPrefix(name, poolPages); ok {
		return placePoolPages(member)
	}
	for _, g := range groups {
		if member, ok := strings.CutPrefix(name, g.prefix); ok {
			return series{g.metric, labels(g.label, member)}
		}
	}
	return series{metric: "mysql_global_status_" + name}
}

// placePoolPages leaves out the total, so that sum(buffer_pool_pages) is right;
// dirty pages are among the data pages and so have their own metric.
func placePoolPages(member string) series {
	switch member {
	case "data", "free", "misc", "old":
		return series{"mysql_global_status_buffer_pool_pages", labels("state", member)}
	case "dirty":
		return series{metric: "mysql_global_status_buffer_pool_dirty_pages"}
	case "total":
		return series{}
	}
	return series{"mysql_global_status_buffer_pool_page_changes_total", labels("operation", member)}
}

// labels pairs names and values; an empty value and no label are the same.
func labels(pairs ...string) []model.Label {
	out := make([]model.Label, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, model.Label{Name: pairs[i], Value: pairs[i+1]})
		}
	}
	return out
}
