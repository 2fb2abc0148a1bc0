import type { Zone } from '@/units/time';
import { formatMoment, zoneName } from '@/units/time';
import type { Unit } from '@/units/units';
import { formatValue } from '@/units/units';
import type { ChartData } from './chart-data';
import classes from './data-table.module.css';

export interface DataTableProps {
  readonly title: string;
  readonly data: ChartData;
  readonly unit: Unit;
  readonly zone: Zone;
  /** CSS pixels; longer tables scroll. */
  readonly height: number;
}

/** The chart as a table, newest first. Gaps are dashes. */
export function DataTable({ title, data, unit, zone, height }: DataTableProps) {
  const rows = data.times.map((_, index) => data.times.length - 1 - index);
  return (
    <section
      className={classes['table-scroll']}
      style={{ maxHeight: height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1).
      tabIndex={0}
      aria-label={`${title} as a table`}
    >
      <table className={classes['data-table']}>
        <thead>
          <tr>
            <th scope="col">Time ({zoneName(zone, data.times.at(-1) ?? 0)})</th>
            {data.series.map((series) => (
              <th key={series.id} scope="col" className={classes.number}>
                {series.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((index) => (
            <tr key={data.times[index]}>
              <th scope="row">{formatMoment(data.times[index] ?? 0, zone, true)}</th>
              {data.series.map((series) => (
                <td key={series.id} className={classes.number}>
                  {formatValue(series.values[index], series.unit ?? unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
