import type { ReactNode } from 'react';
import { useId, useMemo, useState } from 'react';
import type { Failure } from '@/api/problem';
import { ErrorPanel } from '@/ui/error-panel';
import type { Zone } from '@/units/time';
import { formatMoment } from '@/units/time';
import type { Unit } from '@/units/units';
import { formatValue, rawUnit } from '@/units/units';
import classes from './chart.module.css';
import { ChartActions } from './chart-actions';
import type { ChartData } from './chart-data';
import { hasData, speakAt, summarise } from './chart-data';
import { DataTable } from './data-table';
import { Legend, Swatch } from './legend';
import { assignStrokes } from './palette';
import type { PlotCursor } from './plot';
import { Plot } from './plot';
import type { PlotShape, YAxis } from './plot-options';
import { useChartLook } from './use-chart-look';

export interface TimeChartProps {
  readonly title: string;
  /** One sentence: what a healthy chart looks like, or what a change means. */
  readonly howToRead: string;
  /** A sentence of context below the title, such as the threshold in force. */
  readonly note?: ReactNode;
  readonly unit: Unit;
  readonly yAxis: YAxis;
  readonly data: ChartData;
  /** Palette slots of well-known lines by id. */
  readonly colours?: Readonly<Record<string, number>>;
  /** Unix seconds of both edges. */
  readonly start: number;
  readonly end: number;
  readonly zone: Zone;
  /** CSS pixels of the drawing. */
  readonly height: number;
  readonly syncKey: string;
  /** `first` has nothing to show yet; `stale` shows the previous answer dimmed until the next one comes. */
  readonly loading: 'first' | 'stale' | 'no';
  readonly failure: Failure | null;
  readonly onRetry: () => void;
  /** Why there is nothing to draw, shown when there is nothing. */
  readonly emptyReason: ReactNode;
  readonly hidden: ReadonlySet<string>;
  readonly onHiddenChange: (hidden: ReadonlySet<string>) => void;
  readonly onZoom: (from: number, to: number) => void;
  readonly onZoomOut: () => void;
  readonly full: boolean;
  readonly onFull: (full: boolean) => void;
}

/** A chart over time with all that a canvas lacks: a title, a summary in words, keys, a table and a file. */
export function TimeChart(props: TimeChartProps) {
  const { title, data, unit } = props;
  const [asTable, setAsTable] = useState(false);
  const titleId = useId();
  const summaryId = useId();
  return (
    <figure className={classes.chart} aria-labelledby={titleId} aria-describedby={summaryId}>
      <div className={classes.head}>
        <h2 id={titleId} className={classes.title}>
          {title}
        </h2>
        <span className={classes.unit}>{rawUnit(unit)}</span>
        <span className={classes.actions}>
          <ChartActions {...props} asTable={asTable} onAsTable={setAsTable} />
        </span>
      </div>
      {props.note ? <p className={classes.note}>{props.note}</p> : null}
      <p id={summaryId} className={classes.unseen}>
        {summarise(title, data, unit)}
      </p>
      <ChartBody {...props} asTable={asTable} />
    </figure>
  );
}

function ChartBody(props: TimeChartProps & { asTable: boolean }) {
  const { title, data, unit, zone, height, failure, loading } = props;
  if (failure && !hasData(data)) {
    return (
      <div style={{ minHeight: height }}>
        <ErrorPanel what={title} {...failure} onRetry={props.onRetry} />
      </div>
    );
  }
  if (loading === 'first') {
    return (
      <div className={classes.skeleton} style={{ height }} role="status">
        <span className={classes.unseen}>Loading {title}</span>
      </div>
    );
  }
  if (!hasData(data)) {
    return (
      <div
        className={classes.empty}
        style={{ minHeight: height }}
        data-stale={loading === 'stale' || undefined}
      >
        <p>{props.emptyReason}</p>
      </div>
    );
  }
  return (
    <div className={classes.body} data-stale={loading === 'stale' || Boolean(failure) || undefined}>
      {failure ? <StaleNotice {...props} failure={failure} /> : null}
      {props.asTable ? (
        <DataTable title={title} data={data} unit={unit} zone={zone} height={height} />
      ) : (
        <Drawing {...props} />
      )}
    </div>
  );
}

function StaleNotice({ failure, data, zone, onRetry }: TimeChartProps & { failure: Failure }) {
  const until = data.times.at(-1);
  return (
    <ErrorPanel
      what={`Anything after ${until === undefined ? 'this' : formatMoment(until, zone)}`}
      {...failure}
      onRetry={onRetry}
    />
  );
}

function Drawing(props: TimeChartProps) {
  const { title, data, unit, zone, hidden } = props;
  const [cursor, setCursor] = useState<PlotCursor | null>(null);
  const [spoken, setSpoken] = useState('');
  const shape = usePlotShape(props);
  const index = cursor && cursor.index < data.times.length ? cursor.index : null;
  const time = index === null ? '' : formatMoment(data.times[index] ?? 0, zone);
  return (
    <>
      <div className={classes.canvas}>
        <Plot
          label={title}
          data={data}
          shape={shape}
          start={props.start}
          end={props.end}
          height={props.height}
          zone={zone}
          onCursor={setCursor}
          onKeyCursor={(at) => setSpoken(speakAt(data, at, unit, hidden))}
          onZoom={props.onZoom}
          onZoomOut={props.onZoomOut}
        />
        {cursor?.own && index !== null ? (
          <Tip {...props} shape={shape} index={index} left={cursor.left} time={time} />
        ) : null}
      </div>
      <Legend
        title={title}
        series={data.series}
        strokes={shape.strokes}
        scheme={shape.scheme}
        unit={unit}
        hidden={hidden}
        onHiddenChange={props.onHiddenChange}
        index={index}
        indexLabel={time.slice(time.indexOf(' ') + 1)}
      />
      <span className={classes.unseen} aria-live="polite">
        {spoken}
      </span>
    </>
  );
}

const TIP_ROOM = 220;

/** The values under the pointer, beside it; the legend says the same to those who cannot point. */
function Tip(props: TimeChartProps & { shape: PlotShape; index: number; left: number; time: string }) {
  const { data, hidden, shape, unit, index, left } = props;
  return (
    <div
      className={classes.tip}
      aria-hidden
      style={left > TIP_ROOM ? { right: `calc(100% - ${left - 12}px)` } : { left: left + 12 }}
    >
      <div className={classes['tip-time']}>{props.time}</div>
      {data.series
        .filter((line) => !hidden.has(line.id))
        .map((line) => (
          <div key={line.id} className={classes['tip-line']}>
            <Swatch line={line} strokes={shape.strokes} scheme={shape.scheme} />
            <span className={classes['tip-label']}>{line.label}</span>
            <span className={classes.number}>{formatValue(line.values[index], line.unit ?? unit)}</span>
          </div>
        ))}
    </div>
  );
}

/** Changes only when the plot must be built anew; new numbers of the same lines leave it as it is. */
function usePlotShape({ data, colours, hidden, unit, yAxis, zone, syncKey }: TimeChartProps): PlotShape {
  const look = useChartLook();
  const lines = data.series.map(({ id, label, kind }) => ({ id, label, kind }));
  const key = JSON.stringify([lines, colours, [...hidden].sort(), unit, yAxis, zone, syncKey]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds every one of them by value.
  return useMemo(
    () => ({
      series: lines,
      strokes: assignStrokes(
        lines.filter((line) => line.kind === 'line').map((line) => line.id),
        colours,
      ),
      hidden,
      unit,
      yAxis,
      zone,
      syncKey,
      ...look,
    }),
    [key, look],
  );
}
