import type { RefObject } from 'react';
import { useLayoutEffect, useRef, useState } from 'react';

/** As in service-page.module.css. */
const NARROWEST_COLUMN = 480;
const GAP = 14;
/** The card's padding and border, and the y axis. */
const AROUND_PLOT = 30 + 68 + 18;
const UNMEASURED = 600;

/** CSS pixels that a chart of the grid has for its points; null until the grid has been measured. */
export function plotWidth(gridWidth: number, full: boolean): number {
  const columns = full ? 1 : Math.max(1, Math.floor((gridWidth + GAP) / (NARROWEST_COLUMN + GAP)));
  return (gridWidth - (columns - 1) * GAP) / columns - AROUND_PLOT;
}

/** Measured before anything is asked, so that the first question is already the right one. */
export function useGridWidth(full: boolean): {
  ref: RefObject<HTMLDivElement | null>;
  plotWidth: number | null;
} {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const grid = ref.current;
    if (!grid) return;
    const measure = () => setWidth(grid.clientWidth || UNMEASURED);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(grid);
    return () => observer.disconnect();
  }, []);
  return { ref, plotWidth: width === null ? null : plotWidth(width, full) };
}
