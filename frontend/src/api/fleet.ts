import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { Answer } from './client';
import { client, dataOf } from './client';
import { cursorOf } from './pages';

export type FleetAnswer = Answer<'/api/v1/fleet'>;
export type FleetRow = FleetAnswer['results'][number];

/** Filters of the fleet list; one that is left out or empty does not filter. */
export interface FleetFilters {
  q?: string | undefined;
  engine?: string | undefined;
  environment?: string | undefined;
  cluster?: string | undefined;
  state?: string | undefined;
}

/** The fleet, a page of 100 services at a time. Live events keep it fresh. */
export function fleetQuery(filters: FleetFilters) {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
  return infiniteQueryOptions({
    queryKey: ['fleet', given],
    queryFn: async ({ pageParam, signal }) =>
      dataOf(await client.GET('/api/v1/fleet', { params: { query: { ...given, ...pageParam } }, signal })),
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next }: FleetAnswer) => cursorOf(next),
    placeholderData: keepPreviousData,
  });
}
