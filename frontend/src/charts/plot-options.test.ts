import type uPlot from 'uplot';
import { describe, expect, it, vi } from 'vitest';
import { assignStrokes, PALETTE } from './palette';
import type { PlotShape } from './plot-options';
import { lonelyPoints, plotData, plotOptions, timeLabels, yRange } from './plot-options';

const SHAPE: PlotShape = {
  series: [
    { id: 'running', label: 'Running', kind: 'line' },
    { id: 'cpus', label: 'CPUs', kind: 'limit' },
  ],
  strokes: assignStrokes(['running'], { running: 1 }),
  hidden: new Set(),
  unit: 'suffix:threads',
  yAxis: { from: 'zero' },
  zone: 'utc',
  scheme: 'light',
  ink: { text: 'black', grid: 'silver', limit: 'grey' },
  syncKey: 'page',
};

function options(shape: Partial<PlotShape> = {}, onZoom = vi.fn()) {
  return plotOptions(
    { ...SHAPE, ...shape },
    { width: 600, height: 200 },
    { window: () => ({ start: 100, end: 200 }), onCursor: vi.fn(), onZoom, onZoomOut: vi.fn() },
  );
}

describe('plotOptions', () => {
  it('draws lines in the colour of their identity, limits grey and dashed', () => {
    const [, running, cpus] = options().series;
    expect(running).toMatchObject({
      label: 'Running',
      stroke: PALETTE.light[1],
      spanGaps: false,
      show: true,
    });
    expect(cpus).toMatchObject({ stroke: 'grey', dash: [5, 4] });
  });

  it('fills the area only below a line that is alone and stands on zero', () => {
    expect(options().series[1]?.fill).toBe(`${PALETTE.light[1]}1f`);
    expect(options({ yAxis: { from: 'data', top: 100 } }).series[1]?.fill).toBeUndefined();
    const two = [...SHAPE.series, { id: 'more', label: 'More', kind: 'line' as const }];
    expect(options({ series: two }).series[1]?.fill).toBeUndefined();
  });

  it('keeps a hidden line in its place, so that the others keep theirs', () => {
    expect(options({ hidden: new Set(['running']) }).series[1]?.show).toBe(false);
  });

  it('always spans the window, also where data ends earlier', () => {
    const range = options().scales?.['x']?.range;
    expect(typeof range === 'function' && range({} as uPlot, 120, 180, 'x')).toEqual([100, 200]);
  });

  it('shares the cursor and nothing else', () => {
    const sync = options().cursor?.sync;
    const shared = (type: string) => sync?.filters?.pub?.(type, {} as uPlot, 0, 0, 0, 0, 0);
    expect(sync?.key).toBe('page');
    expect(['mousemove', 'mouseleave', 'mousedown', 'mouseup'].map(shared)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('turns a drag into a zoom and a click into nothing', () => {
    const onZoom = vi.fn();
    const hook = options({}, onZoom).hooks?.setSelect?.[0] as (plot: uPlot) => void;
    const plot = (width: number) =>
      ({
        select: { left: 10, width },
        posToVal: (x: number) => 100 + x,
        setSelect: vi.fn(),
      }) as unknown as uPlot;
    hook(plot(2));
    expect(onZoom).not.toHaveBeenCalled();
    hook(plot(40));
    expect(onZoom).toHaveBeenCalledWith(110, 150);
  });

  it('puts ticks of bytes on powers of two', () => {
    const incrs = options({ unit: 'bytes' }).axes?.[1]?.incrs;
    expect(incrs).toContain(1024 * 1024);
    expect(options().axes?.[1]?.incrs).toBeUndefined();
  });
});

describe('plotData', () => {
  it('keeps gaps', () => {
    const series = [{ id: 'a', label: 'A', kind: 'line' as const, values: [1, null, 3] }];
    expect(plotData({ times: [0, 5, 10], series })).toEqual([
      [0, 5, 10],
      [1, null, 3],
    ]);
  });
});

describe('lonelyPoints', () => {
  it('finds the points that no line would show', () => {
    const plot = { data: [[], [1, null, 3, null, 5, 6, null, 8]] } as unknown as uPlot;
    expect(lonelyPoints(plot, 1, false)).toEqual([0, 2, 7]);
    expect(lonelyPoints(plot, 1, true)).toBeNull();
  });
});

describe('yRange', () => {
  it.each([
    [2, 10, { from: 'zero' }, [0, 10.8]],
    [0, 0, { from: 'zero' }, [0, 1]],
    [null, null, { from: 'zero' }, [0, 1]],
    [20, 60, { from: 'zero', top: 100 }, [0, 100]],
    [99.2, 99.9, { from: 'data', top: 100 }, [90, 100]],
    [43, 99.9, { from: 'data', top: 100 }, [40, 100]],
    [100, 100, { from: 'data', top: 100 }, [90, 100]],
  ] as const)('%s to %s %j', (min, max, axis, range) => {
    const [low, high] = yRange(min, max, axis);
    expect(low).toBeCloseTo(range[0]);
    expect(high).toBeCloseTo(range[1]);
  });
});

describe('timeLabels', () => {
  const start = Date.UTC(2026, 10, 20, 22, 0, 0) / 1000;

  it('says the date where a day begins', () => {
    const splits = [0, 1, 2, 3].map((hours) => start + hours * 3600);
    expect(timeLabels(splits, 3600, 'utc')).toEqual(['22:00', '23:00', '00:00\n11-21', '01:00']);
  });

  it('says dates alone for long spans and seconds for short ones', () => {
    expect(timeLabels([start, start + 86_400], 86_400, 'utc')).toEqual(['11-20', '11-21']);
    expect(timeLabels([start + 60, start + 75], 15, 'utc')).toEqual(['22:01:00', '22:01:15']);
  });
});
