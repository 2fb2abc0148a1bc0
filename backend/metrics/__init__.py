"""Signs tokens, writes vmauth's configuration, is the only client of VictoriaMetrics, names every metric."""
