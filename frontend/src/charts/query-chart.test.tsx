import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeQueryClient } from '@/api/query-client';
import { forgetReadToken } from '@/api/read-token';
import { server } from '@/testing/server';
import type { Window } from '@/time-range/step';
import { FakePlot } from './fake-uplot';
import { LoadOrder } from './load-order';
import { QueryChart } from './query-chart';

vi.mock('uplot', async () => ({ default: (await import('./fake-uplot')).FakePlot }));

const START = 1_790_000_000;
const HOUR: Window = { start: START, end: START + 10, step: 5 };

/** Queries the store was asked, in order, and a way to answer each. */
interface Asked {
  query: string;
  start: number;
  aborted: () => boolean;
  answer: (values: number[]) => void;
  refuse: (status: number) => void;
}
let asked: Asked[] = [];
/** Which charts are in view; the browser tells each once it is watched. */
let inView: (title: string) => boolean = () => true;

beforeEach(() => {
  asked = [];
  inView = () => true;
  FakePlot.instances = [];
  forgetReadToken();
  vi.stubGlobal('IntersectionObserver', FakeObserver);
  server.use(
    http.post('*/api/v1/tokens/read', () => HttpResponse.json({ token: 'jwt', expires_in: 300 })),
    http.post('*/prometheus/api/v1/query_range', async ({ request }) => {
      const form = new URLSearchParams(await request.text());
      const start = Number(form.get('start'));
      return new Promise<Response>((resolve) => {
        asked.push({
          query: form.get('query') ?? '',
          start,
          aborted: () => request.signal.aborted,
          answer: (values) =>
            resolve(
              HttpResponse.json({
                data: { result: [{ metric: {}, values: values.map((v, i) => [start + i * 5, String(v)]) }] },
              }),
            ),
          refuse: (status) => resolve(HttpResponse.json({ error: 'too much' }, { status })),
        });
      });
    }),
  );
});

class FakeObserver {
  readonly #tell: IntersectionObserverCallback;
  constructor(tell: IntersectionObserverCallback) {
    this.#tell = tell;
  }
  observe(target: Element): void {
    const isIntersecting = inView(target.querySelector('h2')?.textContent ?? '');
    this.#tell(
      [{ target, isIntersecting } as IntersectionObserverEntry],
      this as unknown as IntersectionObserver,
    );
  }
  disconnect(): void {
    // Nothing is watched for longer.
  }
}

function page(titles: readonly string[], window: Window) {
  return (
    <LoadOrder turn={`${window.start}`}>
      {titles.map((title) => (
        <QueryChart
          key={title}
          id={title}
          title={title}
          query={`query of ${title}`}
          window={window}
          toSeries={(answer) =>
            answer.map(({ values }) => ({ id: 'a', label: 'A', kind: 'line' as const, values }))
          }
          howToRead=""
          unit="ops"
          yAxis={{ from: 'zero' }}
          zone="utc"
          height={100}
          syncKey="page"
          emptyReason=""
          hidden={new Set()}
          onHiddenChange={vi.fn()}
          onZoom={vi.fn()}
          onZoomOut={vi.fn()}
          full={false}
          onFull={vi.fn()}
        />
      ))}
    </LoadOrder>
  );
}

function show(titles: readonly string[]) {
  const client = makeQueryClient();
  const wrap = (window: Window) => (
    <MantineProvider env="test">
      <QueryClientProvider client={client}>{page(titles, window)}</QueryClientProvider>
    </MantineProvider>
  );
  const view = render(wrap(HOUR));
  return { moveTo: (window: Window) => view.rerender(wrap(window)) };
}

async function firstAsked(count: number): Promise<Asked[]> {
  await waitFor(() => expect(asked).toHaveLength(count));
  return asked;
}

describe('QueryChart', () => {
  it('draws what the store answers, a missing step as a gap', async () => {
    show(['Load']);
    const [load] = await firstAsked(1);
    expect(load?.query).toBe('query of Load');
    await act(async () => load?.answer([1, 2]));
    await waitFor(() =>
      expect(FakePlot.living[0]?.data).toEqual([
        [START, START + 5, START + 10],
        [1, 2, null],
      ]),
    );
  });

  it('asks for charts in view first and for the others after their answers', async () => {
    inView = (title) => title === 'Load';
    show(['Load', 'Disk', 'Errors']);
    const [load] = await firstAsked(1);
    expect(load?.query).toBe('query of Load');
    await act(async () => load?.answer([1]));
    const all = await firstAsked(3);
    expect(all.slice(1).map(({ query }) => query)).toEqual(['query of Disk', 'query of Errors']);
  });

  it('lets the others go ahead when a chart in view fails', async () => {
    inView = (title) => title === 'Load';
    show(['Load', 'Disk']);
    const [load] = await firstAsked(1);
    await act(async () => load?.refuse(422));
    expect(await screen.findByRole('alert')).toHaveTextContent('too much');
    await firstAsked(2);
  });

  it('cancels what is under way when the window changes and keeps what is drawn', async () => {
    const { moveTo } = show(['Load']);
    await act(async () => (await firstAsked(1))[0]?.answer([1, 2, 3]));
    await waitFor(() => expect(FakePlot.living).toHaveLength(1));

    moveTo({ start: START + 100, end: START + 110, step: 5 });
    const [, second] = await firstAsked(2);
    expect(FakePlot.living[0]?.data[1]).toEqual([1, 2, 3]);
    expect(FakePlot.living[0]?.window()).toEqual([START + 100, START + 110]);

    moveTo({ start: START + 200, end: START + 210, step: 5 });
    const [, , third] = await firstAsked(3);
    await waitFor(() => expect(second?.aborted()).toBe(true));
    expect(third?.start).toBe(START + 200);
  });

  it('keeps the old numbers when a later answer fails', async () => {
    const { moveTo } = show(['Load']);
    await act(async () => (await firstAsked(1))[0]?.answer([1, 2, 3]));
    await waitFor(() => expect(FakePlot.living).toHaveLength(1));
    moveTo({ start: START + 5, end: START + 15, step: 5 });
    await act(async () => (await firstAsked(2))[1]?.refuse(503));
    expect(await screen.findByRole('alert')).toHaveTextContent(/Anything after .* could not be shown/);
    expect(FakePlot.living[0]?.data[1]).toEqual([1, 2, 3]);
  });
});
