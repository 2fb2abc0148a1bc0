package mysql

// Reads SHOW GLOBAL VARIABLES (no privilege needed; MySQL 5.1 and MariaDB 5.1
// and later). innodb_version left MariaDB in 10.10; MySQL 8.0 calls
// tx_isolation transaction_isolation, MariaDB since 11.1.

import (
	"context"
	"regexp"
	"strconv"

	"leadline/agents/internal/model"
)

// gcacheSize is one of the settings in wsrep_provider_options.
var gcacheSize = regexp.MustCompile(`gcache\.size = (\d+)([KMG]?);`)

type globalVariables struct{ pairs }

var _ model.Collector = (*globalVariables)(nil)

func newGlobalVariables(s *Server) *globalVariables {
	return &globalVariables{pairs{
		server: s, statement: "SHOW GLOBAL VARIABLES", place: placeVariable, places: make(map[string]series),
		texts: map[string]string{
			"version": "", "version_comment": "", "innodb_version": "",
			"transaction_isolation": "", "tx_isolation": "",
			"wsrep_cluster_name": "", "wsrep_provider_options": "",
		},
	}}
}

// Name is "global_variables".
func (*globalVariables) Name() string { return "global_variables" }

// Collect emits mysql_global_variables_*, mysql_version_info,
// mysql_transaction_isolation and, on Galera, mysql_galera_*.
func (g *globalVariables) Collect(ctx context.Context, emit model.Emit) error {
	if err := g.read(ctx, emit); err != nil {
		return err
	}
	g.emitTexts(emit)
	return nil
}

func (g *globalVariables) emitTexts(emit model.Emit) {
	emit("mysql_version_info", 1, labels(
		"innodb_version", g.texts["innodb_version"],
		"version", g.texts["version"],
		"version_comment", g.texts["version_comment"])...)
	isolation := g.texts["transaction_isolation"]
	if isolation == "" {
		isolation = g.texts["tx_isolation"]
	}
	if isolation != "" {
		emit("mysql_transaction_isolation", 1, labels("level", isolation)...)
	}
	if g.texts["wsrep_cluster_name"] != "" {
		emit("mysql_galera_variables_info", 1, labels("wsrep_cluster_name", g.texts["wsrep_cluster_name"])...)
	}
	if size, ok := gcacheBytes(g.texts["wsrep_provider_options"]); ok {
		emit("mysql_galera_gcache_size_bytes", size)
	}
}

func placeVariable(name string) series {
	return series{metric: "mysql_global_variables_" + metricName(name)}
}

// gcacheBytes finds the size of Galera's write-set cache.
func gcacheBytes(options string) (float64, bool) {
	found := gcacheSize.FindStringSubmatch(options)
	if found == nil {
		return 0, false
	}
	size, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0, false
	}
	switch found[2] {
	case "K":
		size *= 1 << 10
	case "M":
		size *= 1 << 20
	case "G":
		size *= 1 << 30
	}
	return size, true
}
