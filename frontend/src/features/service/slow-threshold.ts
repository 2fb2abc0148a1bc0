import { useQuery } from '@tanstack/react-query';
import { queryInstant } from '@/api/metrics';
import { equals } from '@/charts/metricsql';
import { formatValue } from '@/units/units';

const REFRESH_MS = 60_000;

/** What counts as slow, as the server is set. `at` is Unix seconds, null for now. Empty while it is not known. */
export function useSlowThreshold(slug: string, at: number | null): string {
  const { data } = useQuery({
    queryKey: ['metrics', 'long_query_time', slug, at],
    queryFn: ({ signal }) =>
      queryInstant({
        query: `max(mysql_global_variables_long_query_time{${equals('service', slug)}})`,
        signal,
        ...(at === null ? {} : { time: at }),
      }),
    staleTime: REFRESH_MS,
    // The chart stands without this sentence; its own error says what is wrong.
    retry: false,
  });
  return thresholdText(data?.[0]?.value);
}

export function thresholdText(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  if (seconds === 0) return 'Every statement counts as slow: long_query_time is 0.';
  return `Slow means longer than ${secondsText(seconds)} (long_query_time).`;
}

/** A setting is written as it was set: 10 s, not 10.0 s. */
function secondsText(seconds: number): string {
  return Number.isInteger(seconds) ? `${seconds} s` : formatValue(seconds, 's');
}
