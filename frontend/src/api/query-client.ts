import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './problem';
import { sessionQuery } from './session';

/** Retries only what may pass by itself: no answer at all, or a server that failed. A refusal is an answer. */
function worthRetrying(failures: number, error: Error): boolean {
  const passing = !(error instanceof ApiProblem) || error.status === 0 || error.status >= 500;
  return passing && failures < 2;
}

/** The one store of what the server said. Where an answer says 'not signed in', it asks again who is. */
export function makeQueryClient(): QueryClient {
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const refused = error instanceof ApiProblem && error.status === 401;
        if (!refused || query.queryKey[0] === sessionQuery.queryKey[0]) return;
        void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    }),
    defaultOptions: {
      queries: { retry: worthRetrying, staleTime: 10_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
  return queryClient;
}
