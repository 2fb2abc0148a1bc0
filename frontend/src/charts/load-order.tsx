import type { ReactNode } from 'react';
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';

/**
 * Charts in view load first. The others wait until each chart in view has its answer; then they load too, so that
 * scrolling finds them ready. Every new window is a new turn.
 */
interface LoadOrderState {
  readonly turn: string;
  readonly report: (id: string, state: ChartTurn) => void;
  readonly viewSettled: boolean;
}

/** `away` is out of view; `asking` has no answer yet; else the turn that is answered. */
type ChartTurn = 'away' | 'asking' | { readonly answered: string };

const LoadOrderContext = createContext<LoadOrderState>({
  turn: '',
  report: () => undefined,
  viewSettled: true,
});

export interface LoadOrderProps {
  /** Changes whenever all charts must ask again. */
  readonly turn: string;
  readonly children: ReactNode;
}

export function LoadOrder({ turn, children }: LoadOrderProps) {
  const [turns, setTurns] = useState<ReadonlyMap<string, ChartTurn>>(new Map());
  const report = useCallback((id: string, state: ChartTurn) => {
    setTurns((before) => new Map(before).set(id, state));
  }, []);
  const viewSettled = turns.size > 0 && [...turns.values()].every((state) => isSettled(state, turn));
  const state = useMemo(() => ({ turn, report, viewSettled }), [turn, report, viewSettled]);
  return <LoadOrderContext value={state}>{children}</LoadOrderContext>;
}

function isSettled(state: ChartTurn, turn: string): boolean {
  return state === 'away' || (state !== 'asking' && state.answered === turn);
}

/** Whether a chart may ask now. `inView` is undefined until the browser has said. */
export function useMayLoad(inView: boolean | undefined): boolean {
  const { viewSettled } = useContext(LoadOrderContext);
  return inView === true || viewSettled;
}

/** Tells the others how far the chart `id` is. `answered` is true once it has its answer, or its failure, for this turn. */
export function useLoadReport(id: string, inView: boolean | undefined, answered: boolean): void {
  const { report, turn } = useContext(LoadOrderContext);
  useEffect(() => {
    if (inView === false) report(id, 'away');
    // Nobody goes ahead until every chart knows whether it is in view.
    else report(id, inView && answered ? { answered: turn } : 'asking');
  }, [report, id, inView, answered, turn]);
  useEffect(() => () => report(id, 'away'), [report, id]);
}
