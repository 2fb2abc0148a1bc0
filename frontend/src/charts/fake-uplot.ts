import type uPlot from 'uplot';

/**
 * Stands in for uPlot where there is no canvas (jsdom): it keeps what it was given, moves its cursor and calls the
 * hooks. One CSS pixel is one point.
 */
export class FakePlot {
  static instances: FakePlot[] = [];
  readonly options: uPlot.Options;
  readonly over = { offsetLeft: 0 };
  readonly cursor: { idx: number | null; left: number; event?: object } = { idx: null, left: -10 };
  data: uPlot.AlignedData;
  destroyed = false;

  constructor(options: uPlot.Options, data: uPlot.AlignedData) {
    this.options = options;
    this.data = data;
    FakePlot.instances.push(this);
  }

  /** The plots on the page now, in the order in which they were made. */
  static get living(): FakePlot[] {
    return FakePlot.instances.filter((plot) => !plot.destroyed);
  }

  setData(data: uPlot.AlignedData): void {
    this.data = data;
  }

  setSize(): void {
    // Nothing is drawn.
  }

  destroy(): void {
    this.destroyed = true;
  }

  valToPos(value: number): number {
    return [...this.data[0]].indexOf(value);
  }

  setCursor({ left }: { left: number }): void {
    this.cursor.left = left;
    this.cursor.idx = left < 0 ? null : left;
    this.call('setCursor');
  }

  /** The pointer over the point `index`. */
  point(index: number): void {
    this.cursor.event = {};
    this.setCursor({ left: index });
  }

  /** Seconds at the left and right edge. */
  window(): readonly [number, number] {
    const range = this.options.scales?.['x']?.range;
    if (typeof range !== 'function') throw new Error('the x scale has no range function');
    const [start, end] = range(this as unknown as uPlot, 0, 0, 'x');
    return [start ?? Number.NaN, end ?? Number.NaN];
  }

  private call(hook: 'setCursor'): void {
    for (const listener of this.options.hooks?.[hook] ?? []) listener?.(this as unknown as uPlot);
  }
}
