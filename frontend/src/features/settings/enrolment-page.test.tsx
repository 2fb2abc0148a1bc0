import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { page, problem, renderApp, signedIn } from '@/testing/render-app';
import { server } from '@/testing/server';

const ID = '20000000-0000-4000-8000-000000000001';
const HOUR = 3_600_000;

function inAnHour(): string {
  return new Date(Date.now() + HOUR).toISOString();
}

function listed(overrides: object = {}) {
  return {
    id: ID,
    prefix: 'lle_abcd',
    created_at: new Date().toISOString(),
    expires_at: inAnHour(),
    used_at: null,
    used_by: '',
    ...overrides,
  };
}

function lists(tokens: object[], agents: object[] = []): void {
  server.use(
    http.get('*/api/v1/enrolment-tokens', () => page(tokens)),
    http.get('*/api/v1/agents', () => page(agents)),
  );
}

function makesToken(): void {
  server.use(
    http.post('*/api/v1/enrolment-tokens', () => {
      lists([listed()]);
      return HttpResponse.json(
        {
          id: ID,
          token: 'lle_abcd.secret',
          prefix: 'lle_abcd',
          expires_at: inAnHour(),
          command: 'bin/leadline-agent enroll --server https://leadline.example.org',
        },
        { status: 201 },
      );
    }),
  );
}

afterEach(() => vi.useRealTimers());

describe('enrolment', () => {
  it('shows a new token once, beside the command that asks for it', async () => {
    signedIn();
    lists([]);
    makesToken();
    const { user } = renderApp('/settings/enrolment');
    await user.click(await screen.findByRole('button', { name: 'Create an enrolment token' }));
    expect(await screen.findByText('lle_abcd.secret')).toBeVisible();
    const command = screen.getByText('bin/leadline-agent enroll --server https://leadline.example.org');
    expect(command).toBeVisible();
    expect(command).not.toHaveTextContent('lle_');
    expect(screen.getByText(/It expires in (1 h|59 min)/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Copy the token' }));
    expect(await navigator.clipboard.readText()).toBe('lle_abcd.secret');
  });

  it('waits live until the agent has used the token and reports', async () => {
    signedIn();
    lists([]);
    makesToken();
    const { user, queryClient } = renderApp('/settings/enrolment');
    await user.click(await screen.findByRole('button', { name: 'Create an enrolment token' }));
    expect(await screen.findByText('Waiting for the agent…')).toBeVisible();

    const used = listed({ used_at: new Date().toISOString(), used_by: 'db1' });
    lists([used]);
    await queryClient.invalidateQueries();
    expect(await screen.findByText(/Agent db1 is enrolled; waiting for its first report/)).toBeVisible();

    lists([used], [{ id: ID, node: 'db1', state: 'up', services: [], problems: [] }]);
    await queryClient.invalidateQueries();
    expect(await screen.findByText('Agent db1 connected')).toBeVisible();
  });

  it('lists what became of each token and revokes an unused one', async () => {
    signedIn();
    const past = new Date(Date.now() - HOUR).toISOString();
    lists([
      listed(),
      listed({ id: '2', prefix: 'lle_used', used_at: past, used_by: 'db7' }),
      listed({ id: '3', prefix: 'lle_late', expires_at: past }),
    ]);
    let revoked = '';
    server.use(
      http.delete('*/api/v1/enrolment-tokens/:id', ({ params }) => {
        revoked = String(params['id']);
        lists([]);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = renderApp('/settings/enrolment');
    const rows = within(await screen.findByRole('table')).getAllByRole('row');
    expect(rows[1]).toHaveTextContent('Unused, expires in');
    expect(rows[2]).toHaveTextContent('Used by db7 60 min ago');
    expect(rows[3]).toHaveTextContent('Expired unused');
    expect(screen.getAllByRole('button', { name: /Revoke the token/ })).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'Revoke the token lle_abcd' }));
    await waitFor(() => expect(revoked).toBe(ID));
    expect(await screen.findByText('No token yet')).toBeVisible();
  });

  it('says why no token could be made', async () => {
    signedIn();
    lists([]);
    server.use(http.post('*/api/v1/enrolment-tokens', () => problem(429, 'Ten tokens are open already.')));
    const { user } = renderApp('/settings/enrolment');
    await user.click(await screen.findByRole('button', { name: 'Create an enrolment token' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Ten tokens are open already.');
    expect(screen.getByRole('button', { name: 'Create an enrolment token' })).toBeEnabled();
  });

  it('tells a viewer whom to ask', async () => {
    signedIn({ role: 'viewer' });
    lists([]);
    renderApp('/settings/enrolment');
    expect(await screen.findByText('Viewers make no tokens')).toBeVisible();
    expect(screen.queryByRole('button', { name: /Create/ })).not.toBeInTheDocument();
  });
});
