import { configure, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetReadToken } from '@/api/read-token';
import type { Service } from '@/api/services';
import { FakePlot } from '@/charts/fake-uplot';
import { problem, renderApp, signedIn } from '@/testing/render-app';
import { server } from '@/testing/server';
import { service } from './service-fixture';

vi.mock('uplot', async () => ({ default: (await import('@/charts/fake-uplot')).FakePlot }));

interface RangeAsked {
  query: string;
  start: number;
  end: number;
  step: number;
}

let asked: RangeAsked[] = [];
let patched: unknown[] = [];

/** Answers every question about numbers with one line a name that the query gives its lines. */
function answerMetrics() {
  server.use(
    http.post('*/api/v1/tokens/read', () => HttpResponse.json({ token: 'jwt', expires_in: 300 })),
    http.post('*/prometheus/api/v1/query_range', async ({ request }) => {
      const form = new URLSearchParams(await request.text());
      const number = (name: string) => Number(form.get(name));
      const query = form.get('query') ?? '';
      const one = { query, start: number('start'), end: number('end'), step: number('step') };
      asked.push(one);
      const lines = [...query.matchAll(/"line", "([^"]+)"/g)].map(([, line]) => ({ line: line ?? '' }));
      const metrics = lines.length > 0 ? lines : [{ mountpoint: '/', device: '/dev/a' }];
      return HttpResponse.json({
        data: { result: metrics.map((metric) => ({ metric, values: [[one.end, '7']] })) },
      });
    }),
    http.post('*/prometheus/api/v1/query', () =>
      HttpResponse.json({ data: { result: [{ metric: {}, value: [0, '10'] }] } }),
    ),
  );
}

function answerService(part: Partial<Service> = {}) {
  const seen = new Date().toISOString();
  server.use(
    http.get('*/api/v1/services/orders-db', () =>
      HttpResponse.json({ ...service, last_seen: seen, ...part }),
    ),
  );
}

// The whole product is drawn here; on a busy machine that takes longer than a component.
configure({ asyncUtilTimeout: 8000 });
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  asked = [];
  patched = [];
  FakePlot.instances = [];
  forgetReadToken();
  signedIn();
  answerMetrics();
  answerService();
});

async function charts() {
  await waitFor(() => expect(FakePlot.living).toHaveLength(8));
  return screen.getAllByRole('figure');
}

describe('the service page', () => {
  it('shows eight charts in their order, from queries of this service and its node', async () => {
    renderApp('/services/orders-db');
    const figures = await charts();
    expect(figures.map((figure) => within(figure).getByRole('heading').textContent)).toEqual([
      'Load',
      'Statements',
      'Slow statements',
      'Connections',
      'Connection errors',
      'Buffer pool hits',
      'Disk I/O of the node',
      'Disk space of the node',
    ]);
    expect(asked).toHaveLength(8);
    for (const { query, end, start, step } of asked) {
      expect(query).toMatch(/service="orders-db"|node="db1"/);
      expect(end - start).toBe(3600);
      expect(end % step).toBe(0);
    }
    expect(screen.getByText('1 point = 15 s')).toBeInTheDocument();
    expect(await screen.findByText('Slow means longer than 10 s (long_query_time).')).toBeInTheDocument();
  });

  it('shares one cursor between its charts', async () => {
    renderApp('/services/orders-db');
    await charts();
    const keys = new Set(FakePlot.living.map((plot) => plot.options.cursor?.sync?.key));
    expect([...keys]).toEqual(['service orders-db']);
  });

  it('says how the service is and what it is', async () => {
    answerService({ state: 'down', reason: 'The database refused the password of user leadline.' });
    renderApp('/services/orders-db');
    expect(await screen.findByRole('heading', { level: 1, name: 'Orders' })).toBeInTheDocument();
    expect(screen.getByText('The database refused the password of user leadline.')).toBeInTheDocument();
    expect(screen.getByText('10.11.11-MariaDB')).toBeInTheDocument();
    expect(screen.getByText('production')).toBeInTheDocument();
  });

  it('shows the last data of a silent service and says since when', async () => {
    const seen = Math.floor(Date.now() / 1000) - 2 * 86_400;
    answerService({ state: 'silent', last_seen: new Date(seen * 1000).toISOString() });
    renderApp('/services/orders-db');
    await charts();
    expect(screen.getByText(/has not been heard of since/)).toHaveTextContent('2 d ago');
    expect(asked[0]?.end).toBe(Math.floor(seen / 15) * 15);
  });

  it('turns a drag into the address, and back undoes it', async () => {
    const { router } = renderApp('/services/orders-db');
    await charts();
    const select = FakePlot.living[0]?.options.hooks?.setSelect?.[0];
    const end = asked[0]?.end ?? 0;
    const plot = {
      select: { left: 0, width: 60 },
      posToVal: (x: number) => end - 600 + x,
      setSelect: vi.fn(),
    };
    select?.(plot as never);
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ from: iso(end - 600), to: iso(end - 540) }),
    );
    await waitFor(() => expect(FakePlot.living[0]?.window()).toEqual([end - 600, end - 540]));
    router.history.back();
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it('moves by one window with [ and ], and t opens the choice', async () => {
    const { user, router } = renderApp('/services/orders-db?from=now-6h');
    await charts();
    expect(screen.getByRole('button', { name: 'One window forward' })).toBeDisabled();
    await user.keyboard('[[');
    await waitFor(() => expect(router.state.location.searchStr).toMatch(/^\?from=.*Z&to=.*Z$/));
    await user.keyboard(']');
    await waitFor(() => expect(router.state.location.searchStr).toBe('?from=now-6h'));
    await user.keyboard('t');
    await user.click(await screen.findByRole('button', { name: '24h' }));
    await waitFor(() => expect(router.state.location.searchStr).toBe('?from=now-24h'));
    expect(screen.getByText('1 point = 10 min')).toBeInTheDocument();
  });

  it('takes a typed range and says what it cannot read', async () => {
    const { user, router } = renderApp('/services/orders-db?tz=utc');
    await charts();
    await user.click(screen.getByRole('button', { name: /Last 1h/ }));
    const from = await screen.findByLabelText('From');
    await user.clear(from);
    await user.type(from, 'yesterday');
    await user.click(screen.getByRole('button', { name: 'Show this range' }));
    expect(screen.getByText('From is neither now-3h nor 2026-11-20 14:00.')).toBeInTheDocument();
    await user.clear(from);
    await user.type(from, 'now-3h');
    await user.click(screen.getByRole('button', { name: 'Show this range' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ from: 'now-3h', tz: 'utc' }));
  });

  it('fills the page with one chart and comes back with Escape', async () => {
    const { user, router } = renderApp('/services/orders-db?from=now-6h');
    await charts();
    await user.click(screen.getByRole('button', { name: 'Statements in full screen' }));
    await waitFor(() => expect(screen.getAllByRole('figure')).toHaveLength(1));
    expect(router.state.location.search).toEqual({ from: 'now-6h', panel: 'statements' });
    // With its tooltip open, the button takes the first Escape for that.
    await user.unhover(screen.getByRole('button', { name: 'Leave full screen of Statements' }));
    screen.getByRole('slider').focus();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.getAllByRole('figure')).toHaveLength(8));
    expect(router.state.location.search).toEqual({ from: 'now-6h' });
  });

  it('keeps hidden lines in the address', async () => {
    const { user, router } = renderApp('/services/orders-db');
    await charts();
    await user.click(screen.getByRole('button', { name: 'CPUs busy on the node' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ hidden: 'load.busy' }));
    await waitFor(() =>
      expect(FakePlot.living.at(-1)?.options.series.map((line) => line.show)).toContain(false),
    );
  });

  it('fails chart by chart, never as a page', async () => {
    server.use(
      http.post('*/prometheus/api/v1/query_range', async ({ request }) => {
        const query = new URLSearchParams(await request.text()).get('query') ?? '';
        if (query.includes('slow_queries')) return problem(503, 'The store is not ready.');
        return HttpResponse.json({ data: { result: [{ metric: { line: 'connected' }, values: [] }] } });
      }),
    );
    renderApp('/services/orders-db');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Slow statements could not be shown');
    expect(alert).toHaveTextContent('status 503, request req-1');
    expect(screen.getAllByRole('figure')).toHaveLength(8);
    expect(screen.getAllByText(/sent no figures of this kind/).length).toBeGreaterThan(4);
  });

  it('says that there is no such service', async () => {
    server.use(
      http.get('*/api/v1/services/orders-db', () =>
        problem(404, 'There is no service orders-db.', 'not_found'),
      ),
    );
    renderApp('/services/orders-db');
    expect(await screen.findByText('There is no service orders-db.')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Back to the fleet' })).toHaveAttribute('href', '/');
  });
});

describe('editing a service', () => {
  function answerPatch(answer: () => Response) {
    server.use(
      http.patch('*/api/v1/services/orders-db', async ({ request }) => {
        patched.push(await request.json());
        return answer();
      }),
    );
  }

  it('sends only what was changed and warns of new series', async () => {
    answerPatch(() => HttpResponse.json({ ...service, environment: 'staging', notice: 'New series began.' }));
    const { user, router } = renderApp('/services/orders-db');
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    const dialog = await screen.findByRole('dialog', { name: 'Edit Orders' });
    expect(within(dialog).getByRole('button', { name: 'Save' })).toBeDisabled();
    const environment = within(dialog).getByLabelText('Environment');
    await user.clear(environment);
    await user.type(environment, 'staging');
    expect(within(dialog).getByText('New series begin.')).toBeInTheDocument();
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(patched).toEqual([{ environment: 'staging' }]));
    expect(await screen.findByText('Orders is saved')).toBeInTheDocument();
    expect(screen.getByText('New series began.')).toBeInTheDocument();
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it('puts what the server refuses at its field and moves there', async () => {
    answerPatch(() =>
      HttpResponse.json(
        {
          detail: 'The address is wrong.',
          code: 'invalid',
          errors: [{ field: 'address', message: 'Write host:port.' }],
        },
        { status: 400 },
      ),
    );
    const { user } = renderApp('/services/orders-db?edit=1');
    const address = await screen.findByLabelText('Address');
    await user.clear(address);
    await user.type(address, 'nowhere');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Write host:port.')).toBeInTheDocument();
    expect(address).toHaveFocus();
    expect(address).toBeInvalid();
  });

  it('is not offered to a viewer', async () => {
    signedIn({ role: 'viewer' });
    renderApp('/services/orders-db?edit=1');
    await charts();
    expect(screen.queryByRole('button', { name: 'Edit' })).not.toBeInTheDocument();
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });
});
