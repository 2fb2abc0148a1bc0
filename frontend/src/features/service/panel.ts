import type { Series } from '@/api/metrics';
import type { ChartSeries } from '@/charts/chart-data';
import { equals, rate } from '@/charts/metricsql';
import type { YAxis } from '@/charts/plot-options';
import type { Unit } from '@/units/units';

/** What a panel asks about. Slugs are fixed for life, so the series of a renamed service stay its own. */
export interface Target {
  readonly service: string;
  /** Slug of the node the service runs on. */
  readonly node: string;
}

/** One chart of the service page: pure, so that the page, the tests and a later Grafana export read the same. */
export interface Panel {
  readonly id: PanelId;
  readonly title: string;
  /** How to read it, in one sentence. */
  readonly howToRead: string;
  readonly unit: Unit;
  readonly yAxis: YAxis;
  /** Palette slots by line id. */
  readonly colours: Readonly<Record<string, number>>;
  /** Whose series it shows: when it is empty, that is who has to be asked. */
  readonly source: 'service' | 'node';
  /** MetricsQL; `back` is how far a rate looks back, in seconds. */
  readonly query: (target: Target, back: number) => string;
  readonly toSeries: (answer: readonly Series[]) => ChartSeries[];
}

export const PANEL_IDS = [
  'load',
  'statements',
  'slow',
  'connections',
  'errors',
  'buffer-pool',
  'disk-io',
  'disk-space',
] as const;
export type PanelId = (typeof PANEL_IDS)[number];

export function isPanelId(value: unknown): value is PanelId {
  return PANEL_IDS.some((id) => id === value);
}

/** A line with its own query; the answer carries the id in the label `line`. */
interface Line {
  readonly id: string;
  readonly label: string;
  readonly kind?: ChartSeries['kind'];
  readonly unit?: Unit;
}

/** Several queries as one request; each is told apart by the label `line`. */
export function union(queries: Readonly<Record<string, string>>): string {
  const parts = Object.entries(queries).map(([line, query]) => `label_set(${query}, "line", "${line}")`);
  return `union(${parts.join(', ')})`;
}

/** The lines in this order; one that the answer lacks is left out. */
export function named(lines: readonly Line[]): Panel['toSeries'] {
  return (answer) =>
    lines.flatMap(({ id, label, kind = 'line', unit }) => {
      const found = answer.find((series) => series.labels['line'] === id);
      return found ? [{ id, label, kind, values: found.values, ...(unit ? { unit } : {}) }] : [];
    });
}

/**
 * One number of a service. `max`, because a service is one series: where its labels have changed, the old and the new
 * one overlap for the length of a rate, and a sum would count that time twice.
 */
export function ofService(metric: string, { service }: Target): string {
  return `max(mysql_global_${metric}{${equals('service', service)}})`;
}

export function rateOfService(status: string, { service }: Target, back: number): string {
  return `max(${rate(`mysql_global_status_${status}{${equals('service', service)}}`, back)})`;
}

/** Statements of these kinds together, by the names of the server's Com_ counters. */
export function rateOfCommands({ service }: Target, back: number, matcher: string): string {
  const selector = `mysql_global_status_commands_total{${equals('service', service)},${matcher}}`;
  return `sum(max by (command) (${rate(selector, back)}))`;
}
