import type { Unit } from '@/units/units';
import { formatValue } from '@/units/units';

/** One line of a chart. */
export interface ChartSeries {
  /** What its colour, and its being hidden, are bound to; unique in the chart. */
  readonly id: string;
  readonly label: string;
  /** Beside the chart's times; null is a gap and stays one. */
  readonly values: readonly (number | null)[];
  /** A limit is drawn grey and dashed, and left out of the chart's summary of what happened. */
  readonly kind: 'line' | 'limit';
  /** Where a line counts something else than the chart's axis says. */
  readonly unit?: Unit;
}

export interface ChartData {
  /** Unix seconds, rising. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
}

export interface Extremes {
  readonly last: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

export const NO_DATA: ChartData = { times: [], series: [] };

/** Whether there is a single number to draw. A limit alone is not data. */
export function hasData(data: ChartData): boolean {
  return data.series.some((series) => series.kind === 'line' && series.values.some(isNumber));
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}

/** Last, smallest and largest number of a line; gaps are skipped. */
export function extremesOf(values: readonly (number | null)[]): Extremes {
  let last: number | null = null;
  let min: number | null = null;
  let max: number | null = null;
  for (const value of values) {
    if (!isNumber(value)) continue;
    last = value;
    min = min === null ? value : Math.min(min, value);
    max = max === null ? value : Math.max(max, value);
  }
  return { last, min, max };
}

export type Trend = 'rising' | 'falling' | 'steady';

const FEWEST_FOR_TREND = 6;
const STEADY_WITHIN = 0.1;

/** The mean of the last third against that of the first; null when there are too few points to say. */
export function trendOf(values: readonly (number | null)[]): Trend | null {
  const numbers = values.filter(isNumber);
  if (numbers.length < FEWEST_FOR_TREND) return null;
  const third = Math.floor(numbers.length / 3);
  const before = mean(numbers.slice(0, third));
  const after = mean(numbers.slice(-third));
  const size = Math.max(Math.abs(before), Math.abs(after));
  if (size === 0 || Math.abs(after - before) <= size * STEADY_WITHIN) return 'steady';
  return after > before ? 'rising' : 'falling';
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

const MOST_IN_SUMMARY = 4;

/** The chart in one sentence, for those who do not see it: each line's last, smallest and largest value and its trend. */
export function summarise(title: string, data: ChartData, unit: Unit): string {
  const lines = data.series.filter((series) => series.kind === 'line' && series.values.some(isNumber));
  if (lines.length === 0) return `${title}: no data.`;
  const shown = lines.slice(0, MOST_IN_SUMMARY).map((series) => describeLine(series, unit));
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return `${title}: ${shown.join('; ')}.`;
}

function describeLine(series: ChartSeries, chartUnit: Unit): string {
  const unit = series.unit ?? chartUnit;
  const { last, min, max } = extremesOf(series.values);
  const trend = trendOf(series.values);
  const numbers = `last ${formatValue(last, unit)}, min ${formatValue(min, unit)}, max ${formatValue(max, unit)}`;
  return `${series.label} ${numbers}${trend ? `, ${trend}` : ''}`;
}

/** The values at one point as a sentence, for the live region. */
export function speakAt(data: ChartData, index: number, unit: Unit, hidden: ReadonlySet<string>): string {
  return data.series
    .filter((series) => !hidden.has(series.id))
    .map((series) => {
      const value = series.values[index] ?? null;
      return `${series.label} ${value === null ? 'no data' : formatValue(value, series.unit ?? unit)}`;
    })
    .join(', ');
}
