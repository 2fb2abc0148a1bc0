import { describe, expect, it } from 'vitest';
import type { TimeRange } from './range';
import { absoluteRange, DEFAULT_TIME, lastRange } from './range';
import { rangeText } from './time-picker';

const NOON = Date.UTC(2026, 10, 20, 12, 0, 0) / 1000;

function text(range: TimeRange): string {
  return rangeText({ ...DEFAULT_TIME, ...range, zone: 'utc' });
}

describe('rangeText', () => {
  it('names a live window as the presets do', () => {
    expect(text(lastRange(86_400))).toBe('Last 24h · UTC');
    expect(text(lastRange(5400))).toBe('Last 1 h 30 min · UTC');
  });

  it('says both ends of a past one, the date once where it is one day', () => {
    expect(text(absoluteRange(NOON, NOON + 3600))).toBe('2026-11-20 12:00 to 13:00 · UTC');
    expect(text(absoluteRange(NOON, NOON + 86_400))).toBe('2026-11-20 12:00 to 2026-11-21 12:00 · UTC');
    expect(text({ from: { kind: 'relative', offset: 7200 }, to: { kind: 'relative', offset: 3600 } })).toBe(
      'now-2h to now-1h · UTC',
    );
  });
});
