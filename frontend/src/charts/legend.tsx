import { UnstyledButton } from '@mantine/core';
import type { Unit } from '@/units/units';
import { formatValue } from '@/units/units';
import type { ChartSeries } from './chart-data';
import { extremesOf } from './chart-data';
import classes from './legend.module.css';
import type { ColourScheme, Stroke } from './palette';
import { colourOf } from './palette';

export interface LegendProps {
  readonly title: string;
  readonly series: readonly ChartSeries[];
  readonly strokes: ReadonlyMap<string, Stroke>;
  readonly scheme: ColourScheme;
  readonly unit: Unit;
  readonly hidden: ReadonlySet<string>;
  readonly onHiddenChange: (hidden: ReadonlySet<string>) => void;
  /** Point under the cursor; without one the last value is shown. */
  readonly index: number | null;
  /** What heads the first column while there is a cursor: its time. */
  readonly indexLabel: string;
}

/** Each line with its last (or pointed at), smallest and largest value; pressing a name hides the line. */
export function Legend(props: LegendProps) {
  const { title, series, index } = props;
  return (
    <table className={classes.legend} aria-label={`Lines of ${title}`}>
      <thead>
        <tr>
          <th scope="col">
            <span className={classes.unseen}>Line</span>
          </th>
          <th scope="col" className={classes.number}>
            {index === null ? 'last' : props.indexLabel}
          </th>
          <th scope="col" className={classes.number}>
            min
          </th>
          <th scope="col" className={classes.number}>
            max
          </th>
        </tr>
      </thead>
      <tbody>
        {series.map((line) => (
          <LegendRow key={line.id} line={line} {...props} />
        ))}
      </tbody>
    </table>
  );
}

function LegendRow({
  line,
  unit: chartUnit,
  hidden,
  onHiddenChange,
  index,
  ...look
}: LegendProps & { line: ChartSeries }) {
  const shown = !hidden.has(line.id);
  const text = (value: number | null | undefined) => legendText(value, line.unit, chartUnit);
  const { last, min, max } = extremesOf(line.values);
  return (
    <tr data-hidden={!shown || undefined}>
      <th scope="row">
        <UnstyledButton
          className={classes['line-name']}
          aria-pressed={shown}
          title={shown ? `Hide ${line.label}` : `Show ${line.label}`}
          onClick={() => onHiddenChange(toggled(hidden, line.id))}
        >
          <Swatch line={line} strokes={look.strokes} scheme={look.scheme} />
          <span className={classes['line-label']}>{line.label}</span>
        </UnstyledButton>
      </th>
      <td className={classes.number}>{text(index === null ? last : line.values[index])}</td>
      <td className={classes.number}>{text(min)}</td>
      <td className={classes.number}>{text(max)}</td>
    </tr>
  );
}

/** A count whose noun stands in the chart's head is not followed by it three times a line. */
function legendText(value: number | null | undefined, own: Unit | undefined, chart: Unit): string {
  if (own === undefined && chart.startsWith('suffix:')) return formatValue(value, 'suffix:');
  return formatValue(value, own ?? chart);
}

function toggled(hidden: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(hidden);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** A piece of the line itself: its colour and its dashes. */
export function Swatch({
  line,
  strokes,
  scheme,
}: Pick<LegendProps, 'strokes' | 'scheme'> & { line: ChartSeries }) {
  const stroke = strokes.get(line.id) ?? { slot: 0, dash: [] };
  const limit = line.kind === 'limit';
  return (
    <svg width="14" height="10" viewBox="0 0 14 10" aria-hidden className={classes.swatch}>
      <line
        x1="0"
        x2="14"
        y1="5"
        y2="5"
        strokeWidth={limit ? 1.5 : 3}
        stroke={limit ? 'var(--ll-line-strong)' : colourOf(stroke, scheme)}
        strokeDasharray={limit ? '4 3' : stroke.dash.map((length) => length * 0.7).join(' ')}
      />
    </svg>
  );
}
