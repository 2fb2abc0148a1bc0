import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './client';
import { client, dataOf } from './client';

export type Service = Answer<'/api/v1/services/{slug}'>;

/** One service by its slug. Rejects with an ApiProblem of status 404 where there is none. */
export function serviceQuery(slug: string) {
  return queryOptions({
    queryKey: ['services', slug],
    queryFn: async ({ signal }) =>
      dataOf(await client.GET('/api/v1/services/{slug}', { params: { path: { slug } }, signal })),
  });
}
