import type uPlot from 'uplot';
import type { Zone } from '@/units/time';
import { formatMoment } from '@/units/time';
import type { Unit } from '@/units/units';
import { formatTicks } from '@/units/units';
import type { ChartData, ChartSeries } from './chart-data';
import type { ColourScheme, Stroke } from './palette';
import { colourOf } from './palette';

/** Where the y axis begins and ends. `top` is a bound that cannot be passed, such as 100 %. */
export interface YAxis {
  /** `zero` for amounts; `data` where only the upper end is of interest, such as a hit ratio. */
  readonly from: 'zero' | 'data';
  readonly top?: number;
}

/** Colours that canvas needs as words; they come from the tokens of the theme. */
export interface Ink {
  readonly text: string;
  readonly grid: string;
  readonly limit: string;
}

/** All that makes a plot another plot. Its data and its window are not part of it: those change in place. */
export interface PlotShape {
  readonly series: readonly Pick<ChartSeries, 'id' | 'label' | 'kind'>[];
  readonly strokes: ReadonlyMap<string, Stroke>;
  readonly hidden: ReadonlySet<string>;
  readonly unit: Unit;
  readonly yAxis: YAxis;
  readonly zone: Zone;
  readonly scheme: ColourScheme;
  readonly ink: Ink;
  /** Charts with the same key share their cursor. */
  readonly syncKey: string;
}

export interface PlotEvents {
  /** Unix seconds of what the chart shows. */
  readonly window: () => { readonly start: number; readonly end: number };
  /** `own` is true when the pointer is over this chart, false when the cursor is shared from another. */
  readonly onCursor: (index: number | null, own: boolean) => void;
  readonly onZoom: (from: number, to: number) => void;
  readonly onZoomOut: () => void;
}

const AXIS_WIDTH = 68;
const FONT = '11px system-ui, sans-serif';
const SHORTEST_DRAG = 6;
/** Alpha, in hex, of the area below a line that has the chart to itself. */
const AREA = '1f';
const LIMIT_DASH = [5, 4];

/** The table uPlot draws: times, then a row a series. */
export function plotData(data: ChartData): uPlot.AlignedData {
  return [[...data.times], ...data.series.map((series) => [...series.values])];
}

/** uPlot's options for this shape; it starts `size` CSS pixels large. */
export function plotOptions(
  shape: PlotShape,
  size: { width: number; height: number },
  events: PlotEvents,
): uPlot.Options {
  return {
    ...size,
    legend: { show: false },
    padding: [8, 18, 0, 0],
    tzDate: zonedDate(shape.zone),
    cursor: cursorOptions(shape, events),
    scales: {
      x: {
        time: true,
        range: () => {
          const { start, end } = events.window();
          return [start, end];
        },
      },
      y: { range: (_plot, min, max) => yRange(min, max, shape.yAxis) },
    },
    axes: [xAxis(shape), yAxis(shape)],
    series: [{}, ...shape.series.map((series) => lineOptions(series, shape))],
    hooks: {
      setCursor: [(plot) => events.onCursor(plot.cursor.idx ?? null, Boolean(plot.cursor.event))],
      setSelect: [(plot) => zoomToSelection(plot, events)],
    },
  };
}

function cursorOptions(shape: PlotShape, events: PlotEvents): uPlot.Cursor {
  return {
    y: false,
    drag: { x: true, y: false, setScale: false, dist: SHORTEST_DRAG },
    points: { size: 7 },
    bind: {
      dblclick: () => () => {
        events.onZoomOut();
        return null;
      },
    },
    sync: {
      key: shape.syncKey,
      scales: ['x', null],
      // Only the cursor is shared: a drag in one chart is one zoom, not eight.
      filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
    },
  };
}

function zoomToSelection(plot: uPlot, events: PlotEvents): void {
  const { left, width } = plot.select;
  if (width < SHORTEST_DRAG) return;
  const from = plot.posToVal(left, 'x');
  const to = plot.posToVal(left + width, 'x');
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  events.onZoom(from, to);
}

function lineOptions(series: PlotShape['series'][number], shape: PlotShape): uPlot.Series {
  const show = !shape.hidden.has(series.id);
  if (series.kind === 'limit') {
    return {
      label: series.label,
      show,
      stroke: shape.ink.limit,
      width: 1.25,
      dash: LIMIT_DASH,
      points: { show: false },
    };
  }
  const stroke = shape.strokes.get(series.id) ?? { slot: 0, dash: [] };
  const colour = colourOf(stroke, shape.scheme);
  const alone = shape.series.filter((other) => other.kind === 'line').length === 1;
  return {
    label: series.label,
    show,
    stroke: colour,
    width: 1.5,
    spanGaps: false,
    ...(stroke.dash.length > 0 ? { dash: [...stroke.dash] } : {}),
    ...(alone && shape.yAxis.from === 'zero' ? { fill: `${colour}${AREA}` } : {}),
    points: { size: 4, fill: colour, filter: lonelyPoints },
  };
}

/** A point between two gaps has no line to lie on, so it is drawn as a point; uPlot would leave it out. */
export function lonelyPoints(plot: Pick<uPlot, 'data'>, seriesIndex: number, show: boolean): number[] | null {
  if (show) return null;
  const values = plot.data[seriesIndex] ?? [];
  const lonely: number[] = [];
  for (let index = 0; index < values.length; index += 1) {
    const alone = isGap(values[index - 1]) && isGap(values[index + 1]);
    if (alone && !isGap(values[index])) lonely.push(index);
  }
  return lonely;
}

function isGap(value: number | null | undefined): boolean {
  return value === null || value === undefined;
}

/** uPlot reads local fields of the Date: for UTC the local clock is moved to show UTC. */
function zonedDate(zone: Zone): (seconds: number) => Date {
  if (zone === 'browser') return (seconds) => new Date(seconds * 1000);
  return (seconds) => {
    const date = new Date(seconds * 1000);
    return new Date(date.getTime() + date.getTimezoneOffset() * 60_000);
  };
}

const HEADROOM = 1.08;
const PERCENT_FLOOR_STEP = 10;

/** Ends of the y axis for data between `min` and `max`. */
export function yRange(min: number | null, max: number | null, axis: YAxis): [number, number] {
  const top = axis.top;
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) {
    return [0, top ?? 1];
  }
  const low = axis.from === 'zero' ? Math.min(0, min) : floorBelow(min, top ?? max);
  if (top !== undefined && max <= top) return [low, top];
  return [low, max > low ? low + (max - low) * HEADROOM : low + 1];
}

/** A round floor that leaves the line in the upper part without hiding how far from 0 it is. */
function floorBelow(min: number, top: number): number {
  const step = top / PERCENT_FLOOR_STEP;
  return Math.max(0, Math.floor(min / step - 1e-9) * step);
}

const MINUTE = 60;
const DAY = 86_400;
/** CSS pixels below the plot. */
const ONE_LINE = 22;
const TWO_LINES = 36;

function xAxis(shape: PlotShape): uPlot.Axis {
  return {
    ...axisLook(shape),
    size: (_plot, labels) => (labels?.some((label) => label.includes('\n')) ? TWO_LINES : ONE_LINE),
    gap: 4,
    space: 76,
    values: (_plot, splits, _axis, _space, gap) => timeLabels(splits, gap, shape.zone),
  };
}

/** `14:05`, with the date below where a day begins; spans of days have dates alone. */
export function timeLabels(splits: readonly number[], gap: number, zone: Zone): string[] {
  let lastDay: string | undefined;
  return splits.map((split) => {
    const [day = '', clock = ''] = formatMoment(split, zone, gap < MINUTE).split(' ');
    if (gap >= DAY) return day.slice(5);
    const newDay = lastDay !== undefined && day !== lastDay;
    lastDay = day;
    return newDay ? `${clock}\n${day.slice(5)}` : clock;
  });
}

/** Bytes fall on powers of two, so that ticks read 256, 512, 768 MiB and not 238. */
const BINARY_STEPS = Array.from({ length: 61 }, (_, power) => 2 ** power);

function yAxis(shape: PlotShape): uPlot.Axis {
  const binary = shape.unit === 'bytes' || shape.unit === 'binBps';
  return {
    ...axisLook(shape),
    size: AXIS_WIDTH,
    gap: 6,
    space: 28,
    values: (_plot, splits) => formatTicks(splits, shape.unit),
    ...(binary ? { incrs: BINARY_STEPS } : {}),
  };
}

function axisLook({ ink }: PlotShape): uPlot.Axis {
  return {
    stroke: ink.text,
    font: FONT,
    labelFont: FONT,
    grid: { stroke: ink.grid, width: 1 },
    ticks: { show: false },
  };
}
