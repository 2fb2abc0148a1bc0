import { UnstyledButton } from '@mantine/core';
import type { Unit } from '@/units/units';
import { formatValue } from '@/units/units';
import classes from './chart.module.css';
import type { ChartSeries } from './chart-data';
import { extremesOf } from './chart-data';
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
  unit,
  hidden,
  onHiddenChange,
  index,
  ...look
}: LegendProps & { line: ChartSeries }) {
  const shown = !hidden.has(line.id);
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
      <td className={classes.number}>{formatValue(index === null ? last : line.values[index], unit)}</td>
      <td className={classes.number}>{formatValue(min, unit)}</td>
      <td className={classes.number}>{formatValue(max, unit)}</td>
    </tr>
  );
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
