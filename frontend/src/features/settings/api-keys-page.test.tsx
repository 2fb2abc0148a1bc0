import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { page, problem, renderApp, signedIn } from '@/testing/render-app';
import { server } from '@/testing/server';

const key = {
  id: '30000000-0000-4000-8000-000000000001',
  name: 'deploy pipeline',
  prefix: 'llk_abcd',
  scopes: ['read'],
  created_at: new Date().toISOString(),
  expires_at: null,
  last_used_at: null,
  created_by: 'owner@example.org',
};

function keys(list: object[]): void {
  server.use(http.get('*/api/v1/api-keys', () => page(list)));
}

describe('API keys', () => {
  it('creates a key with a scope and a life, and shows it once', async () => {
    signedIn();
    keys([]);
    let asked: Record<string, unknown> = {};
    server.use(
      http.post('*/api/v1/api-keys', async ({ request }) => {
        asked = (await request.json()) as Record<string, unknown>;
        keys([key]);
        return HttpResponse.json({ ...key, key: 'llk_abcd.secret' }, { status: 201 });
      }),
    );
    const { user, router } = renderApp('/settings/api-keys');
    expect(await screen.findByText('No API key yet')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Create a key' }));
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'deploy pipeline');
    await user.click(screen.getByRole('radio', { name: /Write/ }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Life' }), '30 days');
    await user.click(screen.getByRole('button', { name: 'Create the key' }));

    expect(await screen.findByText('llk_abcd.secret')).toBeVisible();
    expect(asked).toMatchObject({ name: 'deploy pipeline', scopes: ['write'] });
    const days = (new Date(String(asked['expires_at'])).getTime() - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 2);
    expect(router.state.location.href).toBe('/settings/api-keys');

    await user.click(screen.getByRole('button', { name: 'I have copied it' }));
    expect(screen.queryByText('llk_abcd.secret')).not.toBeInTheDocument();
    expect(screen.getByRole('row', { name: /deploy pipeline/ })).toHaveTextContent('never');
  });

  it('asks for a name before it asks the server', async () => {
    signedIn();
    keys([]);
    const { user } = renderApp('/settings/api-keys?create=1');
    await user.click(await screen.findByRole('button', { name: 'Create the key' }));
    expect(screen.getByText('Say what the key is for.')).toBeVisible();
    expect(screen.getByRole('textbox', { name: 'Name' })).toHaveFocus();
  });

  it("puts the server's complaint at the field it names", async () => {
    signedIn();
    keys([]);
    const errors = [{ field: 'name', message: 'Another key has this name.' }];
    server.use(
      http.post('*/api/v1/api-keys', () =>
        HttpResponse.json({ detail: 'Invalid.', code: 'invalid', errors }, { status: 400 }),
      ),
    );
    const { user } = renderApp('/settings/api-keys?create=1');
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'x{Enter}');
    expect(await screen.findByText('Another key has this name.')).toBeVisible();
    expect(screen.getByRole('textbox', { name: 'Name' })).toBeInvalid();
  });

  it('revokes a key after its name is typed', async () => {
    signedIn();
    keys([key]);
    let revoked = '';
    server.use(
      http.delete('*/api/v1/api-keys/:id', ({ params }) => {
        revoked = String(params['id']);
        keys([]);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = renderApp('/settings/api-keys');
    await user.click(await screen.findByRole('button', { name: 'Revoke the key deploy pipeline' }));
    const dialog = await screen.findByRole('dialog', { name: 'Revoke the key deploy pipeline?' });
    await user.type(within(dialog).getByRole('textbox'), 'deploy pipeline{Enter}');
    await waitFor(() => expect(revoked).toBe(key.id));
    expect(await screen.findByText('No API key yet')).toBeVisible();
  });

  it('shows a failed list as failed, never as empty', async () => {
    signedIn();
    server.use(http.get('*/api/v1/api-keys', () => problem(500, 'Something broke.')));
    renderApp('/settings/api-keys');
    expect(await screen.findByRole('alert')).toHaveTextContent('The list of API keys could not be shown');
    expect(screen.queryByText('No API key yet')).not.toBeInTheDocument();
  });
});
