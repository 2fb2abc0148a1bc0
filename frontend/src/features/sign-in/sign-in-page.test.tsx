import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { page, renderApp, signedIn } from '@/testing/render-app';
import { server } from '@/testing/server';

const LOGIN = '*/api/auth/browser/v1/auth/login';

function anonymous(): void {
  server.use(http.get('*/api/v1/session', () => HttpResponse.json({ authenticated: false })));
}

async function fillIn(user: ReturnType<typeof renderApp>['user']) {
  await user.type(await screen.findByLabelText('E-mail'), 'owner@example.org');
  await user.type(screen.getByLabelText('Password'), 'long enough{Enter}');
}

describe('signing in', () => {
  it('opens a session with the CSRF token and returns to the page asked for', async () => {
    anonymous();
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no other way, and the server sets it this way.
    document.cookie = 'csrftoken=from-the-cookie';
    let asked: unknown;
    let csrf: string | null = null;
    server.use(
      http.post(LOGIN, async ({ request }) => {
        asked = await request.json();
        csrf = request.headers.get('X-CSRFToken');
        signedIn();
        return HttpResponse.json({ status: 200, meta: { is_authenticated: true } });
      }),
      http.get('*/api/v1/agents', () => page([])),
    );
    const { user, router } = renderApp('/sign-in?next=/settings/agents');
    await fillIn(user);
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/agents'));
    expect(asked).toEqual({ email: 'owner@example.org', password: 'long enough' });
    expect(csrf).toBe('from-the-cookie');
  });

  it('says that the e-mail or the password is wrong, and not which', async () => {
    anonymous();
    const errors = [{ message: 'Incorrect.', code: 'email_password_mismatch', param: 'password' }];
    server.use(http.post(LOGIN, () => HttpResponse.json({ status: 400, errors }, { status: 400 })));
    const { user } = renderApp('/sign-in');
    await fillIn(user);
    expect(await screen.findByRole('alert')).toHaveTextContent('The e-mail or the password is wrong.');
    expect(screen.getByLabelText('E-mail')).toHaveValue('owner@example.org');
  });

  it('says how to go on after too many attempts', async () => {
    anonymous();
    server.use(http.post(LOGIN, () => HttpResponse.json({ status: 429 }, { status: 429 })));
    const { user } = renderApp('/sign-in');
    await fillIn(user);
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many attempts to sign in.');
  });

  it('says that the server cannot be reached', async () => {
    anonymous();
    server.use(http.post(LOGIN, () => HttpResponse.error()));
    const { user } = renderApp('/sign-in');
    await fillIn(user);
    expect(await screen.findByRole('alert')).toHaveTextContent('could not be reached');
  });

  it('never follows an address of another site', async () => {
    anonymous();
    const { router } = renderApp('/sign-in?next=//elsewhere.example');
    await screen.findByRole('heading', { name: 'Sign in to Leadline' });
    expect(router.state.matches.at(-1)?.search).toEqual({});
  });
});
