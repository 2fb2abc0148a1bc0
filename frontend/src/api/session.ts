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

/** Whether the signed-in person is an admin or owner of the org: who may enrol, revoke and make keys. */
export function useIsAdmin(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.role === 'admin' || data?.role === 'owner';
}
