import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from './client';
import { client, dataOf } from './client';
import { everyPage } from './pages';

export type Agent = Answer<'/api/v1/agents'>['results'][number];

/** Every agent of the org: there are as many as hosts, so that all can be sorted by trouble. Live events keep it fresh. */
export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) =>
    everyPage<Agent>(async (cursor) =>
      dataOf(await client.GET('/api/v1/agents', { params: { query: { limit: 500, ...cursor } }, signal })),
    ),
});

/** Revokes an agent: its key and its tokens stop working, its host and services stay. */
export function useRevokeAgent() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      client.DELETE('/api/v1/agents/{agent_id}', { params: { path: { agent_id: id } } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['agents'] }),
  });
}
