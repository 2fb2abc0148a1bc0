import { describe, expect, it } from 'vitest';
import type { Unit } from './units';
import { formatTicks, formatValue, NO_VALUE, valueParts } from './units';

describe('formatValue', () => {
  it.each<[number, Unit, string]>([
    [0, 'bytes', '0 B'],
    [512, 'bytes', '512 B'],
    [1536, 'bytes', '1.50 KiB'],
    [1024 * 1023.9, 'bytes', '1.00 MiB'],
    [5 * 2 ** 30, 'bytes', '5.00 GiB'],
    [12.34 * 2 ** 20, 'binBps', '12.3 MiB/s'],
    [0, 'ops', '0 /s'],
    [0.0033, 'ops', '0.0033 /s'],
    [0.00001, 'ops', '<0.0001 /s'],
    [12.345, 'ops', '12.3 /s'],
    [1234.4, 'ops', '1,234 /s'],
    [123_456, 'ops', '123 k/s'],
    [3, 'suffix:threads', '3 threads'],
    [2.5, 'suffix:CPUs', '2.50 CPUs'],
    [9999, 'suffix:threads', '9,999 threads'],
    [1_500_000, 'suffix:rows', '1.50 M rows'],
    [0.0000005, 's', '0.50 µs'],
    [0.0123, 's', '12.3 ms'],
    [0.9996, 's', '1.00 s'],
    [10, 's', '10.0 s'],
    [90, 's', '1.50 min'],
    [7200, 's', '2.00 h'],
    [250, 'ms', '250 ms'],
    [93.44, 'percent', '93.4 %'],
    [99.996, 'percent', '99.99 %'],
    [100, 'percent', '100.0 %'],
    [0.5, 'percentunit', '50.0 %'],
  ])('%d as %s is %s', (value, unit, text) => {
    expect(formatValue(value, unit)).toBe(text);
  });

  it('shows a dash, not a number, where there is none', () => {
    for (const value of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(formatValue(value, 'ops')).toBe(NO_VALUE);
    }
  });

  it('keeps the sign', () => {
    expect(formatValue(-1536, 'bytes')).toBe('-1.50 KiB');
    expect(formatValue(-12.3, 'percent')).toBe('-12.3 %');
  });

  it('gives number and unit apart', () => {
    expect(valueParts(1536, 'bytes')).toEqual({ text: '1.50', label: 'KiB' });
  });
});

describe('formatTicks', () => {
  it.each<[number[], Unit, string[]]>([
    [[0, 50, 100], 'percent', ['0 %', '50 %', '100 %']],
    [[0, 0.5, 1], 'ops', ['0.0 /s', '0.5 /s', '1.0 /s']],
    [[0, 0.25, 0.5], 'ops', ['0.00 /s', '0.25 /s', '0.50 /s']],
    [[0, 512 * 1024, 1024 * 1024], 'bytes', ['0.0 MiB', '0.5 MiB', '1.0 MiB']],
    [[0, 50, 100, 150], 'suffix:connections', ['0', '50', '100', '150']],
    [[0, 10_000, 20_000], 'suffix:rows', ['0 k', '10 k', '20 k']],
    [[99.9, 99.95, 100], 'percent', ['99.90 %', '99.95 %', '100.00 %']],
    [[0, 0.005, 0.01], 's', ['0 ms', '5 ms', '10 ms']],
  ])('%j %s', (ticks, unit, labels) => {
    expect(formatTicks(ticks, unit)).toEqual(labels);
  });

  it('never labels two ticks alike', () => {
    for (const gap of [0.0001, 0.002, 0.3, 7, 2500]) {
      const ticks = [0, 1, 2, 3, 4].map((index) => index * gap);
      expect(new Set(formatTicks(ticks, 'ops')).size).toBe(5);
    }
  });
});
