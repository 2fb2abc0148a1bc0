import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FleetRow } from '@/api/fleet';

/** As in fleet-page.module.css: from here on a row is a card, with room between the cards. */
const CARDS = '(max-width: 62em)';
const CARD_GAP = 10;
const ROW_HEIGHT = 58;
const CARD_HEIGHT = 160;
/** Rows kept ready above and below what is seen. */
const READY = 20;
const COVERED = 72;

export interface RowsInView {
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** Indexes of the rows to draw. */
  readonly items: readonly number[];
  /** CSS pixels that the rows above and below them take. */
  readonly before: number;
  readonly after: number;
  readonly measure: (row: HTMLTableRowElement | null) => void;
  /** Moves the focus to the next (1) or previous (-1) service's link, drawing its row first where need be. */
  readonly focusRow: (by: 1 | -1) => void;
}

/** Draws only the rows near the window: thousands of services, a few dozen rows. */
export function useRowsInView(rows: readonly FleetRow[]): RowsInView {
  const body = useRef<HTMLTableSectionElement>(null);
  const cards = useMediaQuery(CARDS) ?? false;
  const top = useTopOf(body);
  const virtual = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => (cards ? CARD_HEIGHT : ROW_HEIGHT),
    gap: cards ? CARD_GAP : 0,
    overscan: READY,
    scrollMargin: top,
    // The header above and, on a phone, the navigation below cover the page.
    scrollPaddingStart: COVERED,
    scrollPaddingEnd: COVERED,
    getItemKey: (index) => rows[index]?.slug ?? index,
  });
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    const link = wanted.current === null ? null : linkOf(body.current, wanted.current);
    if (!link) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  });
  const focusRow = (by: 1 | -1) => {
    const here = Number(document.activeElement?.closest('tr')?.dataset['index'] ?? Number.NaN);
    const from = Number.isNaN(here) ? (by === 1 ? -1 : rows.length) : here;
    const next = Math.min(Math.max(from + by, 0), rows.length - 1);
    virtual.scrollToIndex(next);
    const link = linkOf(body.current, next);
    if (link) link.focus({ preventScroll: true });
    else wanted.current = next;
  };
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  return {
    body,
    items: items.map(({ index }) => index),
    before: first ? first.start - top : 0,
    after: last ? virtual.getTotalSize() - (last.end - top) : 0,
    measure: virtual.measureElement,
    focusRow,
  };
}

function linkOf(body: HTMLElement | null, index: number): HTMLElement | null {
  return body?.querySelector<HTMLElement>(`tr[data-index="${index}"] a[data-service]`) ?? null;
}

/** CSS pixels from the top of the page; what stands above the table may change its height at any time. */
function useTopOf(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const now = Math.round(element.current.getBoundingClientRect().top + globalThis.scrollY);
    if (now !== top) setTop(now);
  });
  return top;
}
