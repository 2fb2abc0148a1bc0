import { configure, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FleetAnswer, FleetRow } from '@/api/fleet';
import { forgetReadToken } from '@/api/read-token';
import { problem, renderApp, signedIn } from '@/testing/render-app';
import { server } from '@/testing/server';

const ROW: FleetRow = {
  slug: 'orders-db',
  name: 'Orders',
  engine: 'mariadb',
  version: '10.11.11-MariaDB',
  address: '127.0.0.1:3306',
  node: 'db1',
  environment: 'production',
  cluster: 'shop',
  replication_set: '',
  owner: '',
  tags: [],
  state: 'up',
  reason: '',
  last_seen: new Date().toISOString(),
  agent: null,
};

function row(part: Partial<FleetRow>): FleetRow {
  return { ...ROW, ...part };
}

function answer(results: FleetRow[], part: Partial<FleetAnswer> = {}): FleetAnswer {
  const counts = { up: 0, down: 0, silent: 0, waiting: 0 };
  for (const { state } of results) counts[state] += 1;
  return { next: null, previous: null, results, counts, empty_reason: null, ...part };
}

/** Search of every question for the fleet, and queries asked of the store. */
let asked: string[] = [];
let queries: string[] = [];

function fleet(reply: (search: URLSearchParams) => FleetAnswer) {
  server.use(
    http.get('*/api/v1/fleet', ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      asked.push(search);
      return HttpResponse.json(reply(searchParams));
    }),
  );
}

// The whole product is drawn here; on a busy machine that takes longer than a component.
configure({ asyncUtilTimeout: 8000 });
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  asked = [];
  queries = [];
  forgetReadToken();
  signedIn();
  server.use(
    http.post('*/api/v1/tokens/read', () => HttpResponse.json({ token: 'jwt', expires_in: 300 })),
    http.post('*/prometheus/api/v1/query_range', async ({ request }) => {
      const form = new URLSearchParams(await request.text());
      queries.push(form.get('query') ?? '');
      const values = [[Number(form.get('end')), '123.4']];
      return HttpResponse.json({ data: { result: [{ metric: { service: 'orders-db' }, values }] } });
    }),
    http.post('*/prometheus/api/v1/query', async ({ request }) => {
      queries.push(new URLSearchParams(await request.text()).get('query') ?? '');
      const metric = { node: 'db1', mountpoint: '/var/lib/mysql' };
      return HttpResponse.json({ data: { result: [{ metric, value: [0, '93.21'] }] } });
    }),
  );
});

function services(): string[] {
  return screen
    .getAllByRole('link')
    .flatMap((link) => ('service' in link.dataset ? [link.textContent ?? ''] : []));
}

describe('the fleet page', () => {
  it('shows a row a service, the worst first', async () => {
    fleet(() =>
      answer([
        row({}),
        row({ slug: 'a', name: 'Archive' }),
        row({ slug: 'b', name: 'Billing', state: 'silent', reason: 'Not heard of for 5 min.' }),
        row({ slug: 'c', name: 'Carts', state: 'down', reason: 'Access denied.' }),
      ]),
    );
    renderApp('/');
    await screen.findByText('Archive');
    expect(services()).toEqual(['Carts', 'Billing', 'Archive', 'Orders']);
    const carts = screen.getByRole('row', { name: /Carts/ });
    expect(within(carts).getByText('Down')).toBeInTheDocument();
    expect(within(carts).getByText('Access denied.')).toBeInTheDocument();
  });

  it('shows statements per second and the fullest disk, from one question each', async () => {
    fleet(() => answer([row({}), row({ slug: 'b', name: 'Billing', node: 'db2' })]));
    renderApp('/');
    const orders = await screen.findByRole('row', { name: /Orders/ });
    expect(await within(orders).findByText('123 /s')).toBeInTheDocument();
    expect(
      within(orders).getByRole('img', { name: /Statements per second of Orders.*now 123 \/s/ }),
    ).toBeInTheDocument();
    expect(await within(orders).findByText('93.2 %')).toBeInTheDocument();
    expect(within(orders).getByText('/var/lib/mysql')).toBeInTheDocument();
    expect(within(screen.getByRole('row', { name: /Billing/ })).getAllByText('no data')).toHaveLength(2);
    expect(queries).toHaveLength(2);
    expect(queries.join()).toContain('service=~"b|orders-db"');
  });

  it('counts by state; a count filters and lets go again', async () => {
    fleet((search) => {
      const all = [row({}), row({ slug: 'c', name: 'Carts', state: 'down' })];
      const shown = all.filter(({ state }) => (search.get('state') ?? state) === state);
      return { ...answer(all), results: shown };
    });
    const { user, router } = renderApp('/');
    const down = await screen.findByRole('button', { name: /Down\s*1/ });
    await user.click(down);
    await waitFor(() => expect(services()).toEqual(['Carts']));
    expect(router.state.location.search).toEqual({ state: 'down' });
    expect(down).toHaveAttribute('aria-pressed', 'true');
    await user.click(down);
    await waitFor(() => expect(services()).toHaveLength(2));
    expect(screen.getByRole('button', { name: /Silent\s*0/ })).toBeDisabled();
  });

  it('keeps search and filters in the address', async () => {
    fleet(() => answer([row({})]));
    const { user, router } = renderApp('/?engine=mariadb');
    await screen.findByText('Orders');
    expect(asked[0]).toBe('?engine=mariadb');
    await user.keyboard('/');
    expect(screen.getByRole('searchbox')).toHaveFocus();
    await user.keyboard('ord');
    await waitFor(() => expect(router.state.location.search).toEqual({ engine: 'mariadb', q: 'ord' }));
    await waitFor(() => expect(asked.at(-1)).toBe('?engine=mariadb&q=ord'));
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(screen.getByRole('searchbox')).toHaveValue('');
  });

  it('loads more by the cursor', async () => {
    fleet((search) =>
      search.get('cursor') === 'two'
        ? answer([row({ slug: 'z', name: 'Zebra' })])
        : answer([row({})], {
            next: 'http://x/api/v1/fleet?cursor=two',
            counts: { up: 2, down: 0, silent: 0, waiting: 0 },
          }),
    );
    const { user } = renderApp('/');
    expect(await screen.findByText('1 of 2 services shown')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Load more' }));
    await waitFor(() => expect(services()).toEqual(['Orders', 'Zebra']));
    expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument();
  });

  it('loads the page a person asked for although an event cancels it', async () => {
    let cancelled = false;
    server.use(
      http.get('*/api/v1/fleet', async ({ request }) => {
        if (!request.url.includes('cursor=two')) {
          const next = 'http://x/api/v1/fleet?cursor=two';
          return HttpResponse.json(answer([row({})], { next }));
        }
        if (cancelled) return HttpResponse.json(answer([row({ slug: 'z', name: 'Zebra' })]));
        cancelled = true;
        // The event comes while this page is on its way.
        void queryClient.invalidateQueries({ queryKey: ['fleet'] });
        return new Promise<Response>(() => undefined);
      }),
    );
    const { user, queryClient } = renderApp('/');
    await user.click(await screen.findByRole('button', { name: 'Load more' }));
    expect(await screen.findByText('Zebra')).toBeInTheDocument();
  });

  it('moves with j and k and opens with Enter', async () => {
    fleet(() => answer([row({}), row({ slug: 'z', name: 'Zebra' })]));
    server.use(http.get('*/api/v1/services/z', () => problem(404, 'There is no service z.')));
    const { user, router } = renderApp('/');
    await screen.findByText('Zebra');
    await user.keyboard('jj');
    expect(screen.getByRole('link', { name: 'Zebra' })).toHaveFocus();
    await user.keyboard('k');
    expect(screen.getByRole('link', { name: 'Orders' })).toHaveFocus();
    await user.keyboard('j{Enter}');
    await waitFor(() => expect(router.state.location.pathname).toBe('/services/z'));
  });

  it('says what failed and tries again', async () => {
    let failing = true;
    server.use(
      http.get('*/api/v1/fleet', () =>
        failing
          ? problem(503, 'The database of Leadline is not ready.')
          : HttpResponse.json(answer([row({})])),
      ),
    );
    const { user } = renderApp('/');
    expect(await screen.findByRole('alert')).toHaveTextContent('The database of Leadline is not ready.');
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Orders')).toBeInTheDocument();
  });
});

describe('an empty fleet', () => {
  it('gives the enrol command and a token, and turns into the row by itself', async () => {
    let state: FleetAnswer = answer([], { empty_reason: 'no_agent' });
    fleet(() => state);
    server.use(
      http.post('*/api/v1/enrolment-tokens', () =>
        HttpResponse.json(
          { id: '1', token: 'lle_once', expires_at: '2026-11-21T13:00:00Z', prefix: 'lle_o', command: 'x' },
          { status: 201 },
        ),
      ),
    );
    const { user, queryClient } = renderApp('/');
    expect(
      await screen.findByText('bin/leadline-agent enroll --server https://leadline.example.org'),
    ).toBeInTheDocument();
    expect(screen.getByText('Waiting for the first agent…')).toBeInTheDocument();
    expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Create an enrolment token' }));
    expect(await screen.findByText('lle_once')).toBeInTheDocument();
    expect(screen.getByText(/shown only now/)).toBeInTheDocument();

    // What the event stream does when the agent is there, and then its service.
    state = answer([], { empty_reason: 'no_service' });
    await queryClient.invalidateQueries({ queryKey: ['fleet'] });
    expect(await screen.findByText('Waiting for the first database…')).toBeInTheDocument();
    state = answer([row({ state: 'waiting', last_seen: null })]);
    await queryClient.invalidateQueries({ queryKey: ['fleet'] });
    expect(await screen.findByRole('link', { name: 'Orders' })).toBeInTheDocument();
  });

  it('does not offer a token to a viewer', async () => {
    signedIn({ role: 'viewer' });
    fleet(() => answer([], { empty_reason: 'no_agent' }));
    renderApp('/');
    expect(await screen.findByText(/Ask an operator, admin or owner/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /token/ })).not.toBeInTheDocument();
  });

  it.each([
    ['agent_silent', 'No service yet, and the agent is silent'],
    ['no_service', 'An agent is connected; no database is added yet'],
  ] as const)('says the reason: %s', async (empty_reason, title) => {
    fleet(() => answer([], { empty_reason }));
    renderApp('/');
    expect(await screen.findByText(title)).toBeInTheDocument();
  });

  it('blames the filters only when they are to blame, and clears them', async () => {
    fleet((search) => (search.get('q') ? answer([], { empty_reason: 'filtered_out' }) : answer([row({})])));
    const { user } = renderApp('/?q=nothing');
    const title = await screen.findByText('No service passes these filters');
    const panel = title.parentElement ?? document.body;
    await user.click(within(panel).getByRole('button', { name: 'Clear filters' }));
    expect(await screen.findByText('Orders')).toBeInTheDocument();
  });
});
