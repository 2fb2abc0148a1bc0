import { formatSpan } from '@/units/time';
import { resolveTimePoint } from './grammar';
import type { Refresh, TimeRange } from './range';

/** The agent writes every 5 s; a finer step would only repeat points. */
const COLLECT_INTERVAL = 5;

/** All are multiples of 5 s and divide the hour or the day, so points fall on round times. */
const STEPS: readonly number[] = [
  5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200,
  86_400,
];
const FEWEST_PIXELS = 2;
const FEWEST_POINTS = 60;

/** Seconds between two points for a chart `width` CSS pixels wide: one point in 2 pixels or a little more. */
export function chooseStep(span: number, width: number): number {
  const points = Math.max(FEWEST_POINTS, width / FEWEST_PIXELS);
  const wanted = span / points;
  return STEPS.find((step) => step >= wanted) ?? STEPS.at(-1) ?? COLLECT_INTERVAL;
}

/** What is asked of the store: aligned Unix seconds, both ends included. */
export interface Window {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/**
 * The window to draw at `now`. Its ends are multiples of the step, so that moving on by a second asks for the same
 * points again and nothing jitters.
 */
export function resolveWindow(range: TimeRange, now: number, width: number): Window {
  const from = resolveTimePoint(range.from, now);
  const to = resolveTimePoint(range.to, now);
  const step = chooseStep(to - from, width);
  const end = Math.floor(to / step) * step;
  return { start: Math.min(Math.floor(from / step) * step, end - step), end, step };
}

/** `1 point = 5 min`. */
export function resolutionText(step: number): string {
  return `1 point = ${formatSpan(step)}`;
}

/** Seconds a rate looks back: four samples at least, and two points, so that no sample falls between windows. */
export function rateWindow(step: number): number {
  return Math.max(4 * COLLECT_INTERVAL, 2 * step);
}

const REFRESH_SECONDS: Readonly<Record<Exclude<Refresh, 'auto' | 'off'>, number>> = {
  '5s': 5,
  '10s': 10,
  '30s': 30,
  '1m': 60,
  '5m': 300,
};
const FASTEST_AUTO = 10;
const SLOWEST_AUTO = 300;

/** Seconds between two refreshes of a live window; null when it must not refresh. */
export function refreshSeconds(refresh: Refresh, step: number): number | null {
  if (refresh === 'off') return null;
  if (refresh !== 'auto') return REFRESH_SECONDS[refresh];
  return Math.min(Math.max(step, FASTEST_AUTO), SLOWEST_AUTO);
}
