import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from './client';
import { client, dataOf } from './client';
import { everyPage } from './pages';

export type EnrolmentToken = Answer<'/api/v1/enrolment-tokens'>['results'][number];
/** A token just made; its secret is never shown again. */
export type NewEnrolmentToken = Answer<'/api/v1/enrolment-tokens', 'post'>;

/** Enrolment tokens, newest first, used and expired ones included. */
export const enrolmentTokensQuery = queryOptions({
  queryKey: ['enrolment-tokens'],
  queryFn: ({ signal }) =>
    everyPage<EnrolmentToken>(async (cursor) =>
      dataOf(await client.GET('/api/v1/enrolment-tokens', { params: { query: { ...cursor } }, signal })),
    ),
});

export function useCreateEnrolmentToken() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () => dataOf(await client.POST('/api/v1/enrolment-tokens')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['enrolment-tokens'] }),
  });
}

export function useRevokeEnrolmentToken() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      client.DELETE('/api/v1/enrolment-tokens/{token_id}', { params: { path: { token_id: id } } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['enrolment-tokens'] }),
  });
}
