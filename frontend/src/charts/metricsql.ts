/**
 * Pieces of MetricsQL. Values of labels come from people and from hosts (a mount point may hold any byte), so they never
 * enter a query unescaped.
 */

/** `{service="demo"}` of `('service', 'demo')`, without the braces. */
export function equals(label: string, value: string): string {
  return `${label}="${quoted(value)}"`;
}

/** Matches any of the values, literally: `service=~"a|b\\.c"`. No value at all matches nothing. */
export function isOneOf(label: string, values: readonly string[]): string {
  // An empty alternative would also match series without the label.
  if (values.length === 0) return `${label}=~"$^"`;
  return `${label}=~"${values.map((value) => quoted(literal(value))).join('|')}"`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/**
 * Per-second increase of the counters that `selector` names, over `seconds`. Where a counter has no sample in that time
 * there is no rate: plain rate() answers 0 just after a series ends, and an outage would look like calm.
 */
export function rate(selector: string, seconds: number): string {
  const samples = `${selector}[${seconds}s]`;
  return `(rate(${samples}) if count_over_time(${samples}))`;
}
