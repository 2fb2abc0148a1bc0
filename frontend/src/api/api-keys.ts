import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from './client';
import { client, dataOf } from './client';
import { everyPage } from './pages';

export type ApiKey = Answer<'/api/v1/api-keys'>['results'][number];
export type Scope = ApiKey['scopes'][number];
/** A key just made; its secret is never shown again. */
export type NewApiKey = Answer<'/api/v1/api-keys', 'post'>;

export interface ApiKeyRequest {
  name: string;
  scopes: Scope[];
  /** ISO 8601; null for a key that does not expire. */
  expires_at: string | null;
}

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) =>
    everyPage<ApiKey>(async (cursor) =>
      dataOf(await client.GET('/api/v1/api-keys', { params: { query: { ...cursor } }, signal })),
    ),
});

export function useCreateApiKey() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: ApiKeyRequest) => dataOf(await client.POST('/api/v1/api-keys', { body })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  });
}

export function useRevokeApiKey() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      client.DELETE('/api/v1/api-keys/{key_id}', { params: { path: { key_id: id } } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  });
}
