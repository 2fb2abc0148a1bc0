import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { makeQueryClient } from '@/api/query-client';
import type { Session } from '@/api/session';
import { makeRouter } from '@/app/router';
import { cssVariablesResolver, theme } from '@/ui/theme';
import { server } from './server';

const session: Session = {
  authenticated: true,
  user: { email: 'owner@example.org', name: 'Owner' },
  org: { id: '11111111-1111-4111-8111-111111111111', name: 'Harbour' },
  role: 'owner',
  orgs: [{ id: '11111111-1111-4111-8111-111111111111', name: 'Harbour', role: 'owner' }],
  public_url: 'https://leadline.example.org',
  reachable: true,
};

export const healthy = {
  ok: true,
  parts: [
    { name: 'postgresql', ok: true, detail: '' },
    { name: 'ingest', ok: true, detail: 'canary seen 3 s ago' },
  ],
};

/** Answers what the shell asks on every page, for a signed-in owner. */
export function signedIn(overrides: Partial<Session> = {}): void {
  server.use(
    http.get('*/api/v1/session', () => HttpResponse.json({ ...session, ...overrides })),
    http.get('*/api/v1/health', () => HttpResponse.json(healthy)),
  );
}

/** The whole product at one address, as a person meets it. */
export function renderApp(address: string) {
  const queryClient = makeQueryClient();
  // A failure is shown at once: waiting for retries tests only the clock.
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } });
  const router = makeRouter(queryClient, createMemoryHistory({ initialEntries: [address] }));
  const user = userEvent.setup();
  const view = render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} env="test">
      <Notifications />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { ...view, user, router, queryClient };
}

/** A problem+json answer. */
export function problem(status: number, detail: string, code = 'refused') {
  return HttpResponse.json(
    { type: `urn:leadline:problem:${code}`, title: 'Refused', status, detail, code, request_id: 'req-1' },
    { status, headers: { 'Content-Type': 'application/problem+json' } },
  );
}

/** A list's answer with one page. */
export function page<T>(results: T[]) {
  return HttpResponse.json({ next: null, previous: null, results });
}
