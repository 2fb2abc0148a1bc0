import type { KeyboardEvent, RefObject } from 'react';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Zone } from '@/units/time';
import { formatMoment } from '@/units/time';
import classes from './chart.module.css';
import type { ChartData } from './chart-data';
import type { PlotEvents, PlotShape } from './plot-options';
import { plotData, plotOptions } from './plot-options';

export interface PlotCursor {
  /** Into the chart's times. */
  readonly index: number;
  /** Whether this chart is the one under the pointer or the keys. */
  readonly own: boolean;
  /** CSS pixels from the left edge of the canvas. */
  readonly left: number;
}

export interface PlotProps {
  readonly label: string;
  readonly data: ChartData;
  readonly shape: PlotShape;
  /** Unix seconds of the left and right edge. */
  readonly start: number;
  readonly end: number;
  readonly height: number;
  readonly zone: Zone;
  readonly onCursor: (cursor: PlotCursor | null) => void;
  /** Called with the point that the keys have reached, for the live region. */
  readonly onKeyCursor: (index: number) => void;
  readonly onZoom: (from: number, to: number) => void;
  readonly onZoomOut: () => void;
}

const FALLBACK_WIDTH = 600;
const FAST_STEP = 10;

/** The canvas, and a cursor that the arrow keys move. */
export function Plot(props: PlotProps) {
  const { data, shape, height, zone, label } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const keyed = useRef<number | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const aligned = useMemo(() => plotData(data), [data]);

  useEffect(() => {
    const target = holder.current;
    if (!target) return;
    const size = { width: target.clientWidth || FALLBACK_WIDTH, height: latest.current.height };
    const made = new uPlot(
      plotOptions(shape, size, eventsOf(latest, keyed, plot)),
      plotData(latest.current.data),
      target,
    );
    plot.current = made;
    return () => {
      plot.current = null;
      made.destroy();
    };
  }, [shape]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a moved window must be drawn although only uPlot's range function reads it.
  useEffect(() => plot.current?.setData(aligned), [aligned, props.start, props.end]);
  useFittedSize(holder, plot, height);

  const at = keyed.current ?? data.times.length - 1;
  return (
    <div
      ref={holder}
      className={classes.plot}
      style={{ height }}
      role="slider"
      tabIndex={0}
      aria-label={`Cursor of ${label}. Arrow keys move it.`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, data.times.length - 1)}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={formatMoment(data.times[at] ?? props.end, zone)}
      onKeyDown={(event) => moveByKey(event, latest.current, keyed, plot.current)}
      onBlur={() => {
        keyed.current = null;
        if (plot.current) placeCursor(plot.current, -10);
      }}
    />
  );
}

/** Follows the width of its place; the height is given. */
function useFittedSize(
  holder: RefObject<HTMLDivElement | null>,
  plot: RefObject<uPlot | null>,
  height: number,
): void {
  useEffect(() => {
    const target = holder.current;
    if (!target) return;
    const resize = () => {
      const width = Math.floor(target.clientWidth);
      if (width > 0) plot.current?.setSize({ width, height });
    };
    const observer = new ResizeObserver(resize);
    observer.observe(target);
    resize();
    return () => observer.disconnect();
  }, [holder, plot, height]);
}

interface Held<T> {
  current: T;
}

function eventsOf(latest: Held<PlotProps>, keyed: Held<number | null>, plot: Held<uPlot | null>): PlotEvents {
  return {
    window: () => latest.current,
    onZoom: (from, to) => latest.current.onZoom(from, to),
    onZoomOut: () => latest.current.onZoomOut(),
    onCursor: (index, pointed) => {
      if (pointed) keyed.current = null;
      const made = plot.current;
      if (index === null || !made) {
        latest.current.onCursor(null);
        return;
      }
      const left = made.over.offsetLeft + (made.cursor.left ?? 0);
      latest.current.onCursor({ index, left, own: pointed || keyed.current === index });
    },
  };
}

function moveByKey(
  event: KeyboardEvent,
  { data, onKeyCursor }: PlotProps,
  keyed: Held<number | null>,
  plot: uPlot | null,
): void {
  if (!plot || data.times.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const last = data.times.length - 1;
  const from = keyed.current ?? plot.cursor.idx ?? null;
  const next = nextIndex(event.key, event.shiftKey ? FAST_STEP : 1, from, last);
  if (next === undefined) return;
  event.preventDefault();
  keyed.current = next;
  placeCursor(plot, next === null ? -10 : plot.valToPos(data.times[next] ?? 0, 'x'));
  if (next !== null) onKeyCursor(next);
}

/** Undefined for a key that is not ours, null to take the cursor away. */
function nextIndex(key: string, step: number, from: number | null, last: number): number | null | undefined {
  if (key === 'ArrowLeft') return Math.max(0, (from ?? last + 1) - step);
  if (key === 'ArrowRight') return Math.min(last, (from ?? -1) + step);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  // Without a cursor of its own, Escape is the page's.
  if (key === 'Escape' && from !== null) return null;
  return undefined;
}

/** uPlot's third argument, which its types leave out, shares the position with the page's other charts. */
function placeCursor(plot: uPlot, left: number): void {
  const sharing = plot as unknown as {
    setCursor: (at: { left: number; top: number }, fire: boolean, share: boolean) => void;
  };
  sharing.setCursor({ left, top: left < 0 ? -10 : 1 }, true, true);
}
