import type { Zone } from '@/units/time';
import { formatMoment } from '@/units/time';

/**
 * The grammar of `from` and `to`: `now`, `now-6h`, or a moment. Relative stays relative in the URL, so that a link
 * to 'the last six hours' means it tomorrow too; a moment is written in UTC, so that it means the same everywhere.
 */
export type TimePoint =
  | { readonly kind: 'relative'; readonly offset: number }
  | { readonly kind: 'absolute'; readonly seconds: number };

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};
const RELATIVE = /^now(?:-(\d{1,9})([smhdw]))?$/;
const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;
const EPOCH = /^\d{9,13}$/;
const FIRST_MILLISECOND_EPOCH = 1e11;

/**
 * Reads what a person typed or a URL carries; null when it is neither relative nor a moment.
 * A moment without a zone of its own is read in `zone`.
 */
export function parseTimePoint(text: string, zone: Zone): TimePoint | null {
  const trimmed = text.trim();
  const relative = RELATIVE.exec(trimmed.toLowerCase());
  if (relative) {
    const size = UNIT_SECONDS[relative[2] ?? 's'] ?? 1;
    return { kind: 'relative', offset: Number(relative[1] ?? 0) * size };
  }
  if (EPOCH.test(trimmed)) {
    const number = Number(trimmed);
    const seconds = number >= FIRST_MILLISECOND_EPOCH ? Math.floor(number / 1000) : number;
    return { kind: 'absolute', seconds };
  }
  return parseMoment(trimmed, zone);
}

function parseMoment(text: string, zone: Zone): TimePoint | null {
  const found = MOMENT.exec(text);
  if (!found) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', ownZone] = found;
  const suffix = ownZone ?? (zone === 'utc' ? 'Z' : '');
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${suffix}`);
  // Date.parse takes 31 November for 1 December; a person who typed it meant something else.
  const asUtc = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(time) || asUtc.getUTCDate() !== Number(day)) return null;
  return { kind: 'absolute', seconds: Math.floor(time / 1000) };
}

/** As the URL carries it: `now-6h`, `2026-11-20T14:00:00Z`. */
export function writeTimePoint(point: TimePoint): string {
  if (point.kind === 'absolute') {
    return new Date(point.seconds * 1000).toISOString().replace('.000Z', 'Z');
  }
  return point.offset === 0 ? 'now' : `now-${shortSpan(point.offset)}`;
}

/** As a person reads and edits it: `now-6h`, `2026-11-20 14:00` in `zone`. */
export function showTimePoint(point: TimePoint, zone: Zone): string {
  return point.kind === 'relative' ? writeTimePoint(point) : formatMoment(point.seconds, zone);
}

/** Unix seconds of the point when the clock says `now`. */
export function resolveTimePoint(point: TimePoint, now: number): number {
  return point.kind === 'absolute' ? point.seconds : now - point.offset;
}

/** In the largest unit that divides it: 21600 is `6h`, 5400 is `90m`, 172800 is `2d`. One day is `24h`, as people say. */
export function shortSpan(seconds: number): string {
  const unit = ['d', 'h', 'm'].find((name) => {
    const size = UNIT_SECONDS[name] ?? 1;
    return seconds % size === 0 && seconds >= (name === 'd' ? 2 * size : size);
  });
  return unit ? `${seconds / (UNIT_SECONDS[unit] ?? 1)}${unit}` : `${seconds}s`;
}
