import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './client';
import { client, dataOf } from './client';

export type Health = Answer<'/api/v1/health'>;

/** How Leadline itself is doing, asked every 15 s: a calm screen over a broken server would be a lie. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }) => dataOf(await client.GET('/api/v1/health', { signal })),
  refetchInterval: 15_000,
  retry: false,
});
