import type { Zone } from '@/units/time';
import type { TimePoint } from './grammar';
import { parseTimePoint, resolveTimePoint, writeTimePoint } from './grammar';

/** What the URL says about time. `from` always lies before `to`. */
export interface TimeRange {
  readonly from: TimePoint;
  readonly to: TimePoint;
}

/** `auto` asks again once a point; a number of seconds asks that often; `off` never. */
export type Refresh = 'auto' | 'off' | '5s' | '10s' | '30s' | '1m' | '5m';

export interface TimeState extends TimeRange {
  readonly zone: Zone;
  readonly refresh: Refresh;
}

/** The search parameters of a page with a time picker; what is at its default is left out. */
export interface TimeSearch {
  readonly from?: string;
  readonly to?: string;
  readonly tz?: Zone;
  readonly refresh?: Refresh;
}

export const REFRESHES: readonly Refresh[] = ['auto', 'off', '5s', '10s', '30s', '1m', '5m'];
/** The spans offered with one press, in seconds. */
export const PRESETS: readonly { readonly label: string; readonly seconds: number }[] = [
  { label: '15m', seconds: 900 },
  { label: '1h', seconds: 3600 },
  { label: '6h', seconds: 21_600 },
  { label: '24h', seconds: 86_400 },
  { label: '2d', seconds: 172_800 },
  { label: '7d', seconds: 604_800 },
  { label: '30d', seconds: 2_592_000 },
  { label: '90d', seconds: 7_776_000 },
];
const DEFAULT_SPAN = 3600;
/** Metrics are kept 13 months; nothing older can be drawn. */
const RETENTION_SECONDS = 396 * 86_400;
/** Two points at the finest step: less is not a line. */
const SHORTEST_SPAN = 10;

const NOW: TimePoint = { kind: 'relative', offset: 0 };

export const DEFAULT_TIME: TimeState = {
  from: { kind: 'relative', offset: DEFAULT_SPAN },
  to: NOW,
  zone: 'browser',
  refresh: 'auto',
};

/**
 * Reads the time part of a URL. What cannot be understood is left at its default and named in `dropped`, so that the
 * page can say so instead of silently drawing something else.
 */
export function readTimeSearch(
  search: Readonly<Record<string, unknown>>,
  now: number,
): { state: TimeState; dropped: string[] } {
  const dropped: string[] = [];
  const zone = oneOf<Zone>('tz', search, ['browser', 'utc'], dropped) ?? DEFAULT_TIME.zone;
  const refresh = oneOf('refresh', search, REFRESHES, dropped) ?? DEFAULT_TIME.refresh;
  const from = readPoint('from', search, dropped) ?? DEFAULT_TIME.from;
  const to = readPoint('to', search, dropped) ?? DEFAULT_TIME.to;
  if (rangeProblem({ from, to }, now)) {
    dropped.push('from', 'to');
    return { state: { ...DEFAULT_TIME, zone, refresh }, dropped };
  }
  return { state: { from, to, zone, refresh }, dropped };
}

function oneOf<T extends string>(
  name: string,
  search: Readonly<Record<string, unknown>>,
  allowed: readonly T[],
  dropped: string[],
): T | undefined {
  const value = search[name];
  if (value === undefined) return undefined;
  const found = allowed.find((choice) => choice === value);
  if (!found) dropped.push(name);
  return found;
}

function readPoint(
  name: string,
  search: Readonly<Record<string, unknown>>,
  dropped: string[],
): TimePoint | undefined {
  const value = search[name];
  if (value === undefined) return undefined;
  const point = typeof value === 'string' ? parseTimePoint(value, 'utc') : null;
  if (!point) dropped.push(name);
  return point ?? undefined;
}

/** Why this range cannot be drawn, in one sentence; null when it can. */
export function rangeProblem(range: TimeRange, now: number): string | null {
  const from = resolveTimePoint(range.from, now);
  const to = resolveTimePoint(range.to, now);
  if (to - from < SHORTEST_SPAN) return `from must lie at least ${SHORTEST_SPAN} s before to.`;
  if (from < now - RETENTION_SECONDS) return 'from lies before the 13 months that are kept.';
  if (from >= now) return 'from lies in the future.';
  return null;
}

/** What of an address is understood, as it stands there: the time part of a route's validateSearch. */
export function validateTimeSearch(search: Readonly<Record<string, unknown>>, now: number): TimeSearch {
  const { dropped } = readTimeSearch(search, now);
  const kept = TIME_NAMES.filter((name) => search[name] !== undefined && !dropped.includes(name));
  return Object.fromEntries(kept.map((name) => [name, search[name]]));
}

const TIME_NAMES = ['from', 'to', 'tz', 'refresh'] as const;

/** The state as search parameters, defaults left out. */
export function writeTimeSearch(state: TimeState): TimeSearch {
  const from = writeTimePoint(state.from);
  const to = writeTimePoint(state.to);
  return {
    ...(from === writeTimePoint(DEFAULT_TIME.from) ? {} : { from }),
    ...(to === 'now' ? {} : { to }),
    ...(state.zone === DEFAULT_TIME.zone ? {} : { tz: state.zone }),
    ...(state.refresh === DEFAULT_TIME.refresh ? {} : { refresh: state.refresh }),
  };
}

/** Whether the window moves with the clock. */
export function isLive(range: TimeRange): boolean {
  return range.to.kind === 'relative' && range.to.offset === 0;
}

/** Length in seconds. */
export function spanOf(range: TimeRange, now: number): number {
  return resolveTimePoint(range.to, now) - resolveTimePoint(range.from, now);
}

/** The last `seconds` up to now. */
export function lastRange(seconds: number): TimeRange {
  return { from: { kind: 'relative', offset: seconds }, to: NOW };
}

/** Two moments; whole seconds, and at least the shortest span apart. */
export function absoluteRange(from: number, to: number): TimeRange {
  // Both are rounded alike: moving a window of whole seconds must not stretch it.
  const start = Math.round(from);
  return {
    from: { kind: 'absolute', seconds: start },
    to: { kind: 'absolute', seconds: Math.max(Math.round(to), start + SHORTEST_SPAN) },
  };
}

/** This close to the present, as a part of the span, a window is the present. */
const NEARLY_NOW = 0.05;

/** One window back (-1) or forward (1). Forward into the present becomes the live window again. */
export function shiftRange(range: TimeRange, direction: -1 | 1, now: number): TimeRange {
  const span = spanOf(range, now);
  const to = resolveTimePoint(range.to, now) + direction * span;
  if (to >= now - span * NEARLY_NOW) return lastRange(span);
  const oldest = Math.ceil(now - RETENTION_SECONDS);
  const start = Math.max(to - span, oldest);
  return absoluteRange(start, start + span);
}

/** Twice the span about the same middle; a live window grows into the past and stays live. */
export function zoomOut(range: TimeRange, now: number): TimeRange {
  const span = spanOf(range, now);
  const longest = RETENTION_SECONDS;
  if (isLive(range)) return lastRange(Math.min(span * 2, longest));
  const middle = resolveTimePoint(range.from, now) + span / 2;
  const to = Math.min(middle + span, now);
  return absoluteRange(Math.max(to - 2 * span, Math.ceil(now - longest)), to);
}

/** The same window as moments: the link that shows what one sees now. */
export function pinRange(range: TimeRange, now: number): TimeRange {
  return absoluteRange(resolveTimePoint(range.from, now), resolveTimePoint(range.to, now));
}
