import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Agent } from '@/api/agents';
import { page, problem, renderApp, signedIn } from '@/testing/render-app';
import { server } from '@/testing/server';

const well: Agent = {
  id: '10000000-0000-4000-8000-000000000001',
  node: 'db1',
  version: '0.1.0',
  protocol: 1,
  state: 'up',
  last_seen: new Date().toISOString(),
  clock_offset_seconds: 0.012,
  spool: { bytes: 0, segments: 0, oldest_age_seconds: 0, dropped_samples: 0 },
  key_prefix: 'lla_abc',
  services: ['orders'],
  problems: [],
  created_at: '2026-11-20T05:00:00Z',
};
const troubled: Agent = {
  ...well,
  id: '10000000-0000-4000-8000-000000000002',
  node: 'db2',
  clock_offset_seconds: 41,
  spool: { bytes: 3_145_728, segments: 4, oldest_age_seconds: 330, dropped_samples: 12 },
  services: ['billing'],
  problems: [{ service: 'billing', code: 'denied', error: 'The server refused the password of leadline.' }],
};
const gone: Agent = { ...well, id: '10000000-0000-4000-8000-000000000003', node: 'db0', state: 'revoked' };

function agents(list: Agent[]): void {
  signedIn();
  server.use(http.get('*/api/v1/agents', () => page(list)));
}

describe('the agents page', () => {
  it('puts trouble first and tells it in words', async () => {
    agents([well, troubled]);
    renderApp('/settings/agents');
    const problems = await screen.findByRole('list', { name: 'Problems of db2' });
    expect(problems).toHaveTextContent('billing');
    expect(problems).toHaveTextContent('The server refused the password of leadline.');
    const rows = screen.getAllByRole('row');
    expect(rows[1]).toHaveTextContent('db2');
    expect(rows[1]).toHaveTextContent('41.0 s ahead');
    expect(rows[1]).toHaveTextContent('3.00 MiB, 5 min 30 s');
    expect(rows[1]).toHaveTextContent('12 samples');
    expect(rows[3]).toHaveTextContent('db1');
    expect(rows[3]).toHaveTextContent('12.0 ms off');
    expect(within(rows[3] as HTMLElement).getByRole('link', { name: 'orders' })).toHaveAttribute(
      'href',
      '/services/orders',
    );
  });

  it('revokes only after the name is typed', async () => {
    agents([well]);
    const revoked: string[] = [];
    server.use(
      http.delete('*/api/v1/agents/:id', ({ params }) => {
        revoked.push(String(params['id']));
        server.use(http.get('*/api/v1/agents', () => page([{ ...well, state: 'revoked' }])));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user, router } = renderApp('/settings/agents');
    await user.click(await screen.findByRole('button', { name: 'Revoke the agent of db1' }));
    const dialog = await screen.findByRole('dialog', { name: 'Revoke the agent of db1?' });
    expect(router.state.location.search).toEqual({ revoke: well.id });
    await user.type(within(dialog).getByRole('textbox'), 'db2');
    await user.click(within(dialog).getByRole('button', { name: 'Revoke' }));
    expect(within(dialog).getByText('This is not db1.')).toBeVisible();
    expect(revoked).toEqual([]);
    await user.clear(within(dialog).getByRole('textbox'));
    await user.type(within(dialog).getByRole('textbox'), 'db1');
    await user.click(within(dialog).getByRole('button', { name: 'Revoke' }));
    expect(await screen.findByText('No live agent')).toBeVisible();
    expect(revoked).toEqual([well.id]);
  });

  it('says why a revocation failed and stays', async () => {
    agents([well]);
    server.use(http.delete('*/api/v1/agents/:id', () => problem(403, 'This needs the role admin.')));
    const { user } = renderApp(`/settings/agents?revoke=${well.id}`);
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByRole('textbox'), 'db1{Enter}');
    expect(await within(dialog).findByText('This needs the role admin.')).toBeVisible();
  });

  it('hides retired agents until asked, and keeps that in the address', async () => {
    agents([well, gone]);
    const { user, router } = renderApp('/settings/agents');
    const toggle = await screen.findByRole('switch', { name: 'Show 1 revoked or superseded' });
    expect(screen.queryByText('db0')).not.toBeInTheDocument();
    await user.click(toggle);
    expect(await screen.findByText('db0')).toBeVisible();
    expect(router.state.location.href).toBe('/settings/agents?all=1');
  });

  it('offers a viewer nothing that the server would refuse', async () => {
    agents([well]);
    signedIn({ role: 'viewer' });
    renderApp('/settings/agents');
    expect(await screen.findByText('db1')).toBeVisible();
    expect(screen.queryByRole('button', { name: /Revoke/ })).not.toBeInTheDocument();
  });

  it('says that there is no agent yet, and what to do', async () => {
    agents([]);
    renderApp('/settings/agents');
    expect(await screen.findByText('No agent yet')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Enrol a host' })).toHaveAttribute('href', '/settings/enrolment');
  });

  it('shows what failed with the request to quote, and tries again', async () => {
    signedIn();
    server.use(http.get('*/api/v1/agents', () => problem(503, 'The database is starting.')));
    const { user } = renderApp('/settings/agents');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('The list of agents could not be shown');
    expect(alert).toHaveTextContent('The database is starting.');
    expect(alert).toHaveTextContent('status 503, request req-1');
    server.use(http.get('*/api/v1/agents', () => page([well])));
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('db1')).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument());
  });

  it('reads a long list to its end', async () => {
    signedIn();
    server.use(
      http.get('*/api/v1/agents', ({ request }) => {
        const second = new URL(request.url).searchParams.get('cursor') === 'c2';
        return HttpResponse.json({
          next: second ? null : 'http://127.0.0.1:8427/api/v1/agents?cursor=c2',
          previous: null,
          results: [second ? troubled : well],
        });
      }),
    );
    renderApp('/settings/agents');
    expect(await screen.findByText('db1')).toBeVisible();
    expect(screen.getByText('db2')).toBeVisible();
  });
});
