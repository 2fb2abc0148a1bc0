import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Zone } from '@/units/time';
import type { Refresh, TimeRange, TimeState } from './range';
import { readTimeSearch, writeTimeSearch } from './range';

export interface TimeControls {
  readonly state: TimeState;
  readonly setRange: (range: TimeRange) => void;
  readonly setZone: (zone: Zone) => void;
  readonly setRefresh: (refresh: Refresh) => void;
}

/** The time part of the address, read and written. A new range is a step in the history, so that 'back' undoes a zoom. */
export function useTimeControls(): TimeControls {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { from, to, tz, refresh } = search;
  const state = useMemo(
    () => readTimeSearch({ from, to, tz, refresh }, Date.now() / 1000).state,
    [from, to, tz, refresh],
  );
  const set = useCallback(
    (change: Partial<TimeState>, replace: boolean) => {
      const next = writeTimeSearch({ ...state, ...change });
      const search = (before: Readonly<Record<string, unknown>>) => ({
        ...before,
        from: next.from,
        to: next.to,
        tz: next.tz,
        refresh: next.refresh,
      });
      // Which page this is, and so which search it takes, is only known at run time; its validateSearch judges.
      void navigate({ to: '.', search: search as never, replace, resetScroll: false });
    },
    [navigate, state],
  );
  return useMemo(
    () => ({
      state,
      setRange: (range) => set(range, false),
      setZone: (zone) => set({ zone }, true),
      setRefresh: (choice) => set({ refresh: choice }, true),
    }),
    [state, set],
  );
}
