import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Answer } from './client';
import { client, dataOf } from './client';

export type Session = Answer<'/api/v1/session'>;

/** Who is signed in, and to which org. Asking also sets the CSRF cookie. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => dataOf(await client.GET('/api/v1/session', { signal })),
  staleTime: 60_000,
});

const RANKS = { viewer: 0, operator: 1, admin: 2, owner: 3 } as const;

/** Whether the signed-in person has at least this role in the org. What it does not allow is not offered; the server is the judge. */
export function useHasRole(role: keyof typeof RANKS): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.role != null && RANKS[data.role] >= RANKS[role];
}
