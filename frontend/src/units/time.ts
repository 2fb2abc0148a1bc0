/** How a moment and a span of time are written. Moments are Unix seconds, as the store gives them. */

/** `browser` is the zone of the person's machine. */
export type Zone = 'browser' | 'utc';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

interface ClockParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function clockParts(seconds: number, zone: Zone): ClockParts {
  const date = new Date(seconds * 1000);
  if (zone === 'utc') {
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
    };
  }
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** `2026-11-20 14:00`, with seconds only where they are not zero or are asked for. */
export function formatMoment(seconds: number, zone: Zone, withSeconds = false): string {
  const at = clockParts(seconds, zone);
  const clock = `${two(at.hour)}:${two(at.minute)}`;
  const exact = withSeconds || at.second !== 0 ? `${clock}:${two(at.second)}` : clock;
  return `${at.year}-${two(at.month)}-${two(at.day)} ${exact}`;
}

/** `UTC`, or the browser's offset at that moment: `UTC+01:00`. */
export function zoneName(zone: Zone, seconds: number): string {
  if (zone === 'utc') return 'UTC';
  const minutes = -new Date(seconds * 1000).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** A span in whole units, at most two of them: `5 min`, `1 h 30 min`, `2 d`. */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const units: [number, string][] = [
    [DAY, 'd'],
    [HOUR, 'h'],
    [MINUTE, 'min'],
    [1, 's'],
  ];
  const parts: string[] = [];
  let rest = whole;
  for (const [size, name] of units) {
    const count = Math.floor(rest / size);
    if (count > 0 && parts.length < 2) parts.push(`${count} ${name}`);
    // The second unit must be the next smaller one: `3 d 2 s` says nothing `3 d` does not.
    else if (parts.length === 1) break;
    rest -= count * size;
  }
  return parts.join(' ') || '0 s';
}

/** How long ago, in one unit: `12 s ago`, `3 h ago`; a moment ahead of this clock is `just now`. */
export function formatAgo(seconds: number, now: number): string {
  const age = Math.floor(now - seconds);
  if (age < 2) return 'just now';
  if (age < 2 * MINUTE) return `${age} s ago`;
  if (age < 2 * HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} h ago`;
  return `${Math.floor(age / DAY)} d ago`;
}
