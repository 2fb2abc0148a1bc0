import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '@/api/client';
import type { ServiceChange } from './service-change';

/** Changes one service; what shows it is asked again. */
export function useSaveService(slug: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: ServiceChange) =>
      send(
        new Request(`${globalThis.location.origin}/api/v1/services/${encodeURIComponent(slug)}`, {
          method: 'PATCH',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(change),
        }),
      ),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['services'] }),
        queryClient.invalidateQueries({ queryKey: ['fleet'] }),
      ]);
    },
  });
}
