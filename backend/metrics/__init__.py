"""Signs tokens, writes vmauth's rules, speaks to VictoriaMetrics, names every metric."""
