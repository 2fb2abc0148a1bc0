import { useDocumentVisibility } from '@mantine/hooks';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { TimeState } from './range';
import { isLive } from './range';
import type { Window } from './step';
import { refreshSeconds, resolveWindow } from './step';

export interface LiveWindow {
  readonly window: Window;
  /** Moves a live window to the present at once. */
  readonly moveToNow: () => void;
}

/** The window that charts `width` CSS pixels wide draw. A live one moves on by itself while the page can be seen. */
export function useTimeWindow(state: TimeState, width: number): LiveWindow {
  const { from, to, refresh } = state;
  const range = useMemo(() => ({ from, to }), [from, to]);
  const [clock, setClock] = useState(() => ({ now: unixNow(), range }));
  // A range just chosen counts from this moment, not from the last refresh.
  const { now } = clock.range === range ? clock : { now: unixNow() };
  if (clock.range !== range) setClock({ now, range });

  const moveToNow = useCallback(() => setClock({ now: unixNow(), range }), [range]);
  const window = useMemo(() => resolveWindow(range, now, width), [range, now, width]);
  const seen = useDocumentVisibility() !== 'hidden';
  const every = isLive(range) && seen ? refreshSeconds(refresh, window.step) : null;
  useEffect(() => {
    if (every === null) return;
    const timer = setInterval(moveToNow, every * 1000);
    return () => clearInterval(timer);
  }, [every, moveToNow]);
  useEffect(() => {
    // A page that comes back into sight shows the present, not the moment it was left.
    if (seen && refresh !== 'off') moveToNow();
  }, [seen, refresh, moveToNow]);
  return useStable(window, moveToNow);
}

/** The same numbers are the same object, so that a refresh within one step asks nobody. */
function useStable({ start, end, step }: Window, moveToNow: () => void): LiveWindow {
  return useMemo(() => ({ window: { start, end, step }, moveToNow }), [start, end, step, moveToNow]);
}

function unixNow(): number {
  return Date.now() / 1000;
}
