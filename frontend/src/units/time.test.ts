import { describe, expect, it } from 'vitest';
import { formatAgo, formatMoment, formatSpan, zoneName } from './time';

const MOMENT = Date.UTC(2026, 10, 20, 14, 5, 0) / 1000;

describe('formatMoment', () => {
  it('leaves out seconds that say nothing', () => {
    expect(formatMoment(MOMENT, 'utc')).toBe('2026-11-20 14:05');
    expect(formatMoment(MOMENT + 7, 'utc')).toBe('2026-11-20 14:05:07');
    expect(formatMoment(MOMENT, 'utc', true)).toBe('2026-11-20 14:05:00');
  });

  it('follows the browser when told', () => {
    const local = new Date(MOMENT * 1000);
    expect(formatMoment(MOMENT, 'browser')).toContain(
      `${String(local.getHours()).padStart(2, '0')}:${String(local.getMinutes()).padStart(2, '0')}`,
    );
  });
});

describe('zoneName', () => {
  it('names the offset', () => {
    expect(zoneName('utc', MOMENT)).toBe('UTC');
    expect(zoneName('browser', MOMENT)).toMatch(/^UTC([+-]\d\d:\d\d)?$/);
  });
});

describe('formatSpan', () => {
  it.each([
    [0, '0 s'],
    [5, '5 s'],
    [300, '5 min'],
    [5400, '1 h 30 min'],
    [86_400, '1 d'],
    [86_402, '1 d'],
    [90_000, '1 d 1 h'],
    [3661, '1 h 1 min'],
  ])('%d s is %s', (seconds, text) => {
    expect(formatSpan(seconds)).toBe(text);
  });
});

describe('formatAgo', () => {
  it.each([
    [0, 'just now'],
    [-5, 'just now'],
    [12, '12 s ago'],
    [180, '3 min ago'],
    [3 * 3600, '3 h ago'],
    [3 * 86_400, '3 d ago'],
  ])('%d s is %s', (age, text) => {
    expect(formatAgo(MOMENT - age, MOMENT)).toBe(text);
  });
});
