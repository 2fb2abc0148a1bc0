import { describe, expect, it } from 'vitest';
import { parseTimePoint, resolveTimePoint, shortSpan, showTimePoint, writeTimePoint } from './grammar';

const MOMENT = Date.UTC(2026, 10, 20, 14, 0, 0) / 1000;

describe('parseTimePoint', () => {
  it.each([
    ['now', 0],
    ['now-15m', 900],
    ['now-6h', 21_600],
    [' NOW-7d ', 604_800],
    ['now-2w', 1_209_600],
    ['now-30s', 30],
  ])('reads %s as relative', (text, offset) => {
    expect(parseTimePoint(text, 'utc')).toEqual({ kind: 'relative', offset });
  });

  it.each([
    '2026-11-20 14:00',
    '2026-11-20T14:00:00Z',
    '2026-11-20T15:00:00+01:00',
    '2026-11-20T14:00:00.000Z',
    String(MOMENT),
    String(MOMENT * 1000),
  ])('reads %s as a moment', (text) => {
    expect(parseTimePoint(text, 'utc')).toEqual({ kind: 'absolute', seconds: MOMENT });
  });

  it('reads a date alone as its midnight, in the zone asked for', () => {
    expect(parseTimePoint('2026-11-20', 'utc')).toEqual({
      kind: 'absolute',
      seconds: Date.UTC(2026, 10, 20) / 1000,
    });
    expect(parseTimePoint('2026-11-20', 'browser')).toEqual({
      kind: 'absolute',
      seconds: new Date(2026, 10, 20).getTime() / 1000,
    });
  });

  it.each([
    '',
    'yesterday',
    'now-',
    'now+1h',
    'now-1y',
    '2026-13-01',
    '2026-11-31',
    '2026-11-20 25:00',
    '12',
  ])('refuses %j', (text) => {
    expect(parseTimePoint(text, 'utc')).toBeNull();
  });
});

describe('writing a point', () => {
  it.each(['now', 'now-6h', 'now-90m', 'now-2d', 'now-45s', '2026-11-20T14:00:00Z'])(
    'keeps %s through the URL',
    (text) => {
      const point = parseTimePoint(text, 'utc');
      expect(point && writeTimePoint(point)).toBe(text);
    },
  );

  it('shows a moment in the zone asked for', () => {
    expect(showTimePoint({ kind: 'absolute', seconds: MOMENT }, 'utc')).toBe('2026-11-20 14:00');
    expect(showTimePoint({ kind: 'relative', offset: 3600 }, 'utc')).toBe('now-1h');
  });

  it('names a span by the largest unit that divides it', () => {
    expect([900, 3600, 5400, 86_400, 172_800, 61].map(shortSpan)).toEqual([
      '15m',
      '1h',
      '90m',
      '24h',
      '2d',
      '61s',
    ]);
  });
});

describe('resolveTimePoint', () => {
  it('counts back from now, or stays', () => {
    expect(resolveTimePoint({ kind: 'relative', offset: 60 }, MOMENT)).toBe(MOMENT - 60);
    expect(resolveTimePoint({ kind: 'absolute', seconds: 5 }, MOMENT)).toBe(5);
  });
});
