import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, dataOf } from '@/api/client';
import type { ServiceChange } from './service-change';

/** Changes one service; what shows it is asked again. */
export function useSaveService(slug: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: ServiceChange) =>
      dataOf(await client.PATCH('/api/v1/services/{slug}', { params: { path: { slug } }, body: change })),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['services'] }),
        queryClient.invalidateQueries({ queryKey: ['fleet'] }),
      ]);
    },
  });
}
