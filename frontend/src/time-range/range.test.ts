import { describe, expect, it } from 'vitest';
import { writeTimePoint } from './grammar';
import type { TimeRange } from './range';
import {
  absoluteRange,
  DEFAULT_TIME,
  isLive,
  lastRange,
  PRESETS,
  pinRange,
  rangeProblem,
  readTimeSearch,
  shiftRange,
  spanOf,
  validateTimeSearch,
  writeTimeSearch,
  zoomOut,
} from './range';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0) / 1000;

function written(range: TimeRange): string {
  return `${writeTimePoint(range.from)} ${writeTimePoint(range.to)}`;
}

describe('the URL', () => {
  it('says nothing when all is at its default', () => {
    expect(writeTimeSearch(DEFAULT_TIME)).toEqual({});
    expect(readTimeSearch({}, NOW)).toEqual({ state: DEFAULT_TIME, dropped: [] });
  });

  it.each([
    { from: 'now-6h' },
    { from: 'now-2d', to: 'now-24h', tz: 'utc' },
    { from: '2026-11-20T14:00:00Z', to: '2026-11-20T16:00:00Z', refresh: 'off' },
  ])('survives reading and writing: %j', (search) => {
    const { state, dropped } = readTimeSearch(search, NOW);
    expect(dropped).toEqual([]);
    expect(writeTimeSearch(state)).toEqual(search);
  });

  it('takes Unix seconds for a moment', () => {
    const { state } = readTimeSearch({ from: String(NOW - 7200), to: String(NOW - 3600) }, NOW);
    expect(written(state)).toBe('2026-11-21T10:00:00Z 2026-11-21T11:00:00Z');
  });

  it('keeps what it understands, a default that is written out too', () => {
    const search = { from: 'now-1h', to: 'tomorrow', tz: 'utc', page: '3' };
    expect(validateTimeSearch(search, NOW)).toEqual({ from: 'now-1h', tz: 'utc' });
  });

  it('names what it drops and keeps the rest', () => {
    const { state, dropped } = readTimeSearch(
      { from: 'last week', tz: 'utc', refresh: '3s', to: ['now'] },
      NOW,
    );
    expect(dropped).toEqual(['refresh', 'from', 'to']);
    expect(state).toEqual({ ...DEFAULT_TIME, zone: 'utc' });
  });

  it('drops both ends when they lie the wrong way round', () => {
    const { state, dropped } = readTimeSearch({ from: 'now-1h', to: 'now-2h' }, NOW);
    expect(dropped).toEqual(['from', 'to']);
    expect(written(state)).toBe(written(DEFAULT_TIME));
  });
});

describe('rangeProblem', () => {
  it.each([
    [lastRange(3600), null],
    [absoluteRange(NOW - 3600, NOW - 60), null],
    [absoluteRange(NOW + 60, NOW + 3600), 'from lies in the future.'],
    [lastRange(400 * 86_400), 'from lies before the 13 months that are kept.'],
    [lastRange(5), 'from must lie at least 10 s before to.'],
  ])('%j', (range, problem) => {
    expect(rangeProblem(range, NOW)).toBe(problem);
  });

  it('accepts every preset', () => {
    expect(PRESETS.map((preset) => rangeProblem(lastRange(preset.seconds), NOW))).toEqual(
      PRESETS.map(() => null),
    );
  });
});

describe('moving', () => {
  it('goes back by one window and comes forward to the live one', () => {
    const back = shiftRange(lastRange(3600), -1, NOW);
    expect(written(back)).toBe('2026-11-21T10:00:00Z 2026-11-21T11:00:00Z');
    expect(isLive(back)).toBe(false);
    expect(written(shiftRange(back, 1, NOW))).toBe('now-1h now');
  });

  it('keeps its length, whatever the fraction of the second', () => {
    for (const fraction of [0.2, 0.5, 0.9]) {
      const back = shiftRange(lastRange(21_600), -1, NOW + fraction);
      expect(spanOf(back, NOW)).toBe(21_600);
      expect(written(shiftRange(back, 1, NOW + fraction + 1))).toBe('now-6h now');
    }
  });

  it('never goes past what is kept', () => {
    const first = absoluteRange(NOW - 396 * 86_400, NOW - 395 * 86_400);
    expect(rangeProblem(shiftRange(first, -1, NOW), NOW)).toBeNull();
  });

  it('zooms out of a live window into the past', () => {
    expect(written(zoomOut(lastRange(3600), NOW))).toBe('now-2h now');
  });

  it('zooms out of a past window about its middle', () => {
    expect(written(zoomOut(absoluteRange(NOW - 10_800, NOW - 7200), NOW))).toBe(
      '2026-11-21T08:30:00Z 2026-11-21T10:30:00Z',
    );
  });

  it('does not zoom into the future', () => {
    const wide = zoomOut(absoluteRange(NOW - 3600, NOW - 10), NOW);
    expect(spanOf(wide, NOW)).toBe(7180);
    expect(rangeProblem(wide, NOW)).toBeNull();
  });

  it('pins a relative window to moments', () => {
    expect(written(pinRange(lastRange(3600), NOW))).toBe('2026-11-21T11:00:00Z 2026-11-21T12:00:00Z');
  });
});
