import { describe, expect, it } from 'vitest';
import type { ChartData } from './chart-data';
import { extremesOf, hasData, speakAt, summarise, trendOf } from './chart-data';

function chart(...lines: [string, (number | null)[], ('line' | 'limit')?][]): ChartData {
  return {
    times: (lines[0]?.[1] ?? []).map((_, index) => index * 5),
    series: lines.map(([label, values, kind = 'line']) => ({ id: label, label, values, kind })),
  };
}

describe('extremesOf', () => {
  it('skips gaps, at the end too', () => {
    expect(extremesOf([null, 3, null, 1, 2, null])).toEqual({ last: 2, min: 1, max: 3 });
  });

  it('has nothing to say of nothing', () => {
    expect(extremesOf([null, null])).toEqual({ last: null, min: null, max: null });
  });
});

describe('hasData', () => {
  it('takes a zero for data, a gap and a limit not', () => {
    expect(hasData(chart(['a', [null, 0]]))).toBe(true);
    expect(hasData(chart(['a', [null, null]], ['limit', [5, 5], 'limit']))).toBe(false);
  });
});

describe('trendOf', () => {
  it.each([
    [[1, 1, 1, 5, 5, 5], 'rising'],
    [[5, 5, 5, 1, 1, 1], 'falling'],
    [[100, 102, 99, 101, 100, 103], 'steady'],
    [[0, 0, 0, 0, 0, 0], 'steady'],
    [[1, null, 1, 1, null, 5, 5, 5], 'rising'],
    [[1, 2, 3], null],
  ])('%j is %s', (values, trend) => {
    expect(trendOf(values)).toBe(trend);
  });
});

describe('summarise', () => {
  it('says last, min, max and trend of each line in one sentence', () => {
    const data = chart(['Running', [1, 1, 2, 8, 8, 9]], ['CPUs', [8, 8, 8, 8, 8, 8], 'limit']);
    expect(summarise('Load', data, 'suffix:threads')).toBe(
      'Load: Running last 9 threads, min 1 threads, max 9 threads, rising.',
    );
  });

  it('names four lines and counts the rest', () => {
    const data = chart(['a', [1]], ['b', [1]], ['c', [1]], ['d', [1]], ['e', [1]], ['f', [1]]);
    expect(summarise('Disks', data, 'percent')).toMatch(/^Disks: a last .*d last 1\.0 %, .*; and 2 more\.$/);
  });

  it('says so when there is nothing', () => {
    expect(summarise('Load', chart(['a', [null]]), 'ops')).toBe('Load: no data.');
  });
});

describe('speakAt', () => {
  it('reads what is shown at one point, a gap as no data', () => {
    const data = chart(['a', [1, null]], ['b', [3, 4]], ['c', [5, 6]]);
    expect(speakAt(data, 1, 'ops', new Set(['c']))).toBe('a no data, b 4.00 /s');
  });
});
