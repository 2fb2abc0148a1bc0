import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Series } from '@/api/metrics';
import { queryRange } from '@/api/metrics';
import { describeFailure } from '@/api/problem';
import type { Window } from '@/time-range/step';
import type { ChartData, ChartSeries } from './chart-data';
import { NO_DATA } from './chart-data';
import { useLoadReport, useMayLoad } from './load-order';
import type { TimeChartProps } from './time-chart';
import { TimeChart } from './time-chart';
import { useInView } from './use-in-view';

export interface QueryChartProps
  extends Omit<TimeChartProps, 'data' | 'start' | 'end' | 'loading' | 'failure' | 'onRetry'> {
  /** Unique on the page. */
  readonly id: string;
  /** One MetricsQL query a chart, so that a page of charts is as many requests and no more. */
  readonly query: string;
  readonly window: Window;
  /** Names and orders the lines of the answer. */
  readonly toSeries: (answer: readonly Series[]) => ChartSeries[];
}

/** Keys of answers hold their window, so a live page makes new ones all the time: old ones are let go early. */
const KEEP_ANSWERS_MS = 60_000;

/** A chart that asks the store itself. A changed window cancels the request under way and keeps what is drawn. */
export function QueryChart({ id, query, window, toSeries, ...chart }: QueryChartProps) {
  const { ref, inView } = useInView();
  const { start, end, step } = window;
  const answer = useQuery({
    queryKey: ['metrics', query, start, end, step],
    queryFn: ({ signal }) => queryRange({ query, start, end, step, signal }),
    enabled: useMayLoad(inView),
    staleTime: step * 1000,
    gcTime: KEEP_ANSWERS_MS,
    retry: false,
  });
  useLoadReport(id, inView, !answer.isFetching && !answer.isPending);
  // The last good answer stays on the screen while the next one is awaited, and when it fails.
  const [held, setHeld] = useState(answer.data);
  if (answer.data && answer.data !== held) setHeld(answer.data);
  const shown = answer.data ?? held;
  const data = useMemo(() => toChartData(shown, toSeries), [shown, toSeries]);
  const waiting = shown ? 'stale' : 'first';
  return (
    <div ref={ref}>
      <TimeChart
        {...chart}
        data={data}
        start={start}
        end={end}
        loading={answer.isPending ? waiting : 'no'}
        failure={answer.error ? describeFailure(answer.error) : null}
        onRetry={() => void answer.refetch()}
      />
    </div>
  );
}

function toChartData(
  answer: readonly Series[] | undefined,
  toSeries: QueryChartProps['toSeries'],
): ChartData {
  return answer ? { times: answer[0]?.times ?? [], series: toSeries(answer) } : NO_DATA;
}
