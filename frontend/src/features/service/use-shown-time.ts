import { useMemo } from 'react';
import type { Service } from '@/api/services';
import type { TimeState } from '@/time-range/range';
import { absoluteRange, spanOf } from '@/time-range/range';
import type { TimeControls } from '@/time-range/use-time-controls';
import { lastSeen } from './verdict';

/** The time controls as the page uses them: with nobody's choice in the address, a silent service shows its last data. */
export function useShownTime(
  controls: TimeControls,
  chosen: boolean,
  service: Pick<Service, 'state' | 'last_seen'>,
): TimeControls {
  const seen = lastSeen(service);
  const silent = service.state === 'silent';
  return useMemo(() => {
    if (chosen || !silent || seen === null) return controls;
    return { ...controls, state: lastDataRange(controls.state, seen, Date.now() / 1000) };
  }, [controls, chosen, silent, seen]);
}

/** A window of the same length that ends with the last sign of life, where the live one would show nothing. */
export function lastDataRange(state: TimeState, seen: number, now: number): TimeState {
  const span = spanOf(state, now);
  return seen >= now - span ? state : { ...state, ...absoluteRange(seen - span, seen) };
}
