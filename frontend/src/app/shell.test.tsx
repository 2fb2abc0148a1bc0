import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { healthy, page, problem, renderApp, signedIn } from '@/testing/render-app';
import { server } from '@/testing/server';

function noAgents(): void {
  server.use(http.get('*/api/v1/agents', () => page([])));
}

describe('the shell', () => {
  it('names the org, the screens and how Leadline itself is doing', async () => {
    signedIn();
    noAgents();
    renderApp('/settings/agents');
    expect(await screen.findByText('Harbour')).toBeVisible();
    const [screens] = screen.getAllByRole('navigation', { name: 'Screens' });
    expect(within(screens as HTMLElement).getByRole('link', { name: 'Settings' })).toHaveAttribute(
      'data-open',
      'true',
    );
    expect(await screen.findByRole('button', { name: 'Health of Leadline itself: Healthy' })).toBeVisible();
    await waitFor(() => expect(document.title).toBe('Agents · Leadline'));
  });

  it('says which part of Leadline is in trouble, and why', async () => {
    signedIn();
    noAgents();
    const parts = [{ name: 'redis', ok: false, detail: 'No answer for 12 s.' }, ...healthy.parts];
    server.use(http.get('*/api/v1/health', () => HttpResponse.json({ ok: false, parts })));
    const { user } = renderApp('/settings/agents');
    await user.click(await screen.findByRole('button', { name: 'Health of Leadline itself: Redis' }));
    expect(await screen.findByText('No answer for 12 s.')).toBeVisible();
  });

  it('says that it does not know how it is doing when nobody answers', async () => {
    signedIn();
    noAgents();
    server.use(http.get('*/api/v1/health', () => HttpResponse.error()));
    renderApp('/settings/agents');
    expect(await screen.findByRole('button', { name: 'Health of Leadline itself: No answer' })).toBeVisible();
  });

  it('says that other hosts cannot reach a server on loopback, until told to be quiet', async () => {
    signedIn({ reachable: false, public_url: 'http://127.0.0.1:8427' });
    noAgents();
    const { user } = renderApp('/settings/agents');
    expect(await screen.findByText(/Other hosts cannot reach this server/)).toHaveTextContent('LISTEN');
    await user.click(screen.getByRole('button', { name: 'Hide this notice' }));
    expect(screen.queryByText(/Other hosts cannot reach/)).not.toBeInTheDocument();
  });

  it('sends who is not signed in to sign in, and remembers where they wanted to go', async () => {
    server.use(http.get('*/api/v1/session', () => HttpResponse.json({ authenticated: false })));
    const { router } = renderApp('/settings/agents?all=1');
    expect(await screen.findByRole('heading', { name: 'Sign in to Leadline' })).toBeVisible();
    expect(router.state.location.search).toEqual({ next: '/settings/agents?all=1' });
  });

  it('sends a person to sign in when the session ends under an open page', async () => {
    signedIn();
    noAgents();
    const { queryClient } = renderApp('/settings/agents');
    await screen.findByRole('heading', { name: 'Agents' });
    server.use(
      http.get('*/api/v1/session', () => HttpResponse.json({ authenticated: false })),
      http.get('*/api/v1/agents', () => problem(401, 'Sign in first.', 'not_authenticated')),
    );
    await queryClient.invalidateQueries({ queryKey: ['agents'] });
    expect(await screen.findByRole('heading', { name: 'Sign in to Leadline' })).toBeVisible();
  });

  it('shows a server that cannot be reached, and tries again when asked', async () => {
    server.use(http.get('*/api/v1/session', () => HttpResponse.error()));
    const { user } = renderApp('/settings/agents');
    expect(await screen.findByRole('alert')).toHaveTextContent('The Leadline server could not be reached.');
    signedIn();
    noAgents();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { name: 'Agents' })).toBeVisible();
  });

  it('drops what an address says that the page does not know, and says so', async () => {
    signedIn();
    noAgents();
    const { router } = renderApp('/settings/agents?all=1&colour=red');
    expect(await screen.findByText('This page does not know, or cannot read: colour.')).toBeVisible();
    await waitFor(() => expect(router.state.location.href).toBe('/settings/agents?all=1'));
  });

  it('has a page for addresses that lead nowhere', async () => {
    renderApp('/nowhere');
    expect(await screen.findByRole('heading', { name: 'No such page' })).toBeVisible();
  });
});

describe('keys', () => {
  it('go to screens, open the help, and can be switched off', async () => {
    signedIn();
    noAgents();
    server.use(http.get('*/api/v1/enrolment-tokens', () => page([])));
    const { user, router } = renderApp('/settings/enrolment');
    await screen.findByRole('heading', { name: 'Enrolment' });

    await user.keyboard('?');
    const help = await screen.findByRole('dialog', { name: 'Keys on this page' });
    expect(within(help).getByText('Go to the settings')).toBeVisible();
    await user.click(within(help).getByRole('switch', { name: /^Single keys work/ }));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());

    await user.keyboard('gs');
    expect(router.state.location.pathname).toBe('/settings/enrolment');

    await user.click(screen.getByRole('button', { name: /^Your account/ }));
    await user.click(await screen.findByRole('button', { name: /^Keys/ }));
    await user.click(await screen.findByRole('switch', { name: /^Single keys work/ }));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await user.keyboard('gs');
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/agents'));
  });

  it('mean letters while a person types', async () => {
    signedIn();
    server.use(http.get('*/api/v1/api-keys', () => page([])));
    const { user, router } = renderApp('/settings/api-keys?create=1');
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'g s?');
    expect(router.state.location.pathname).toBe('/settings/api-keys');
    expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('g s?');
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });
});
