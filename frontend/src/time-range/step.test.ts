import { describe, expect, it } from 'vitest';
import { absoluteRange, lastRange, PRESETS } from './range';
import { chooseStep, rateWindow, refreshSeconds, resolutionText, resolveWindow } from './step';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 3) / 1000;

describe('chooseStep', () => {
  it.each([
    [900, 600, 5],
    [3600, 600, 15],
    [21_600, 600, 120],
    [86_400, 600, 300],
    [7_776_000, 600, 43_200],
    [900, 1800, 5],
  ])('%d s on %d px asks every %d s', (span, width, step) => {
    expect(chooseStep(span, width)).toBe(step);
  });

  it('gives a point every 2 to 4 px for every preset, always a multiple of 5 s', () => {
    for (const { seconds } of PRESETS) {
      for (const width of [320, 640, 1280]) {
        const step = chooseStep(seconds, width);
        const pixels = width / (seconds / step);
        expect(step % 5).toBe(0);
        expect(pixels).toBeGreaterThanOrEqual(2);
        expect(pixels).toBeLessThanOrEqual(step === 5 ? 8 : 4.1);
      }
    }
  });

  it('asks for a few points even on no width at all', () => {
    expect(chooseStep(3600, 0)).toBe(60);
  });
});

describe('resolveWindow', () => {
  it('aligns both ends to the step', () => {
    const window = resolveWindow(lastRange(3600), NOW, 600);
    expect(window).toEqual({ start: NOW - 3 - 3600, end: NOW - 3, step: 15 });
  });

  it('asks for the same window until a step has passed', () => {
    const first = resolveWindow(lastRange(3600), NOW, 600);
    expect(resolveWindow(lastRange(3600), NOW + 11, 600)).toEqual(first);
    expect(resolveWindow(lastRange(3600), NOW + 12, 600)).not.toEqual(first);
  });

  it('has two points at least', () => {
    const { start, end, step } = resolveWindow(absoluteRange(NOW, NOW + 1), NOW, 600);
    expect(end - start).toBeGreaterThanOrEqual(step);
  });
});

describe('what follows from the step', () => {
  it('is said in words', () => {
    expect(resolutionText(300)).toBe('1 point = 5 min');
  });

  it('sets how far a rate looks back', () => {
    expect(rateWindow(5)).toBe(20);
    expect(rateWindow(300)).toBe(600);
  });

  it('sets how often a live page asks again', () => {
    expect(refreshSeconds('auto', 5)).toBe(10);
    expect(refreshSeconds('auto', 60)).toBe(60);
    expect(refreshSeconds('auto', 3600)).toBe(300);
    expect(refreshSeconds('30s', 5)).toBe(30);
    expect(refreshSeconds('off', 5)).toBeNull();
  });
});
