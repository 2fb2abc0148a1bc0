import type { Unit } from '@/units/units';
import { rawUnit } from '@/units/units';
import type { ChartData } from './chart-data';

/** The chart's numbers as RFC 4180: times in UTC, values as the store gave them, gaps empty. */
export function toCsv(data: ChartData, unit: Unit): string {
  const rows = [
    ['time', ...data.series.map((series) => `${series.label} (${rawUnit(series.unit ?? unit)})`)],
  ];
  data.times.forEach((time, index) => {
    const values = data.series.map((series) => series.values[index] ?? null);
    rows.push([
      new Date(time * 1000).toISOString(),
      ...values.map((value) => (value === null ? '' : String(value))),
    ]);
  });
  return rows.map((row) => `${row.map(quote).join(',')}\r\n`).join('');
}

function quote(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** `Disk I/O of the node` is saved as `disk-i-o-of-the-node.csv`. */
export function csvName(title: string): string {
  const words = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${words || 'chart'}.csv`;
}
