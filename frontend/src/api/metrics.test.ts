import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { server } from '@/testing/server';
import { queryInstant, queryRange } from './metrics';
import { forgetReadToken } from './read-token';

const TOKENS = '*/api/v1/tokens/read';
const RANGE = '*/prometheus/api/v1/query_range';
const INSTANT = '*/prometheus/api/v1/query';

let issued: number;

function issueTokens(expiresIn = 300): void {
  issued = 0;
  server.use(
    http.post(TOKENS, () => {
      issued += 1;
      return HttpResponse.json({ token: `token-${issued}`, expires_in: expiresIn });
    }),
  );
}

function matrix(result: unknown[]) {
  return HttpResponse.json({ status: 'success', data: { resultType: 'matrix', result } });
}

function expired() {
  return HttpResponse.json({ code: 'token_expired', detail: 'The token has expired.' }, { status: 401 });
}

beforeEach(() => {
  forgetReadToken();
  issueTokens();
});

describe('queryRange', () => {
  it('puts every series on the whole grid and leaves gaps null', async () => {
    let asked = new URLSearchParams();
    let credentials: string | undefined;
    server.use(
      http.post(RANGE, async ({ request }) => {
        asked = new URLSearchParams(await request.text());
        credentials = request.headers.get('Authorization') ?? undefined;
        return matrix([
          {
            metric: { service: 'a' },
            values: [
              [1000, '1'],
              [1010, 'NaN'],
              [1015, '4'],
            ],
          },
          {
            metric: { service: 'b' },
            values: [
              [1005, '+Inf'],
              [1010, '2.5'],
            ],
          },
        ]);
      }),
    );
    const series = await queryRange({ query: 'up', start: 1003, end: 1017, step: 5 });
    expect(Object.fromEntries(asked)).toEqual({ query: 'up', start: '1000', end: '1015', step: '5' });
    expect(credentials).toBe('Bearer token-1');
    expect(series).toEqual([
      { labels: { service: 'a' }, times: [1000, 1005, 1010, 1015], values: [1, null, null, 4] },
      { labels: { service: 'b' }, times: [1000, 1005, 1010, 1015], values: [null, null, 2.5, null] },
    ]);
  });

  it('sends no cookie: the token alone says whose numbers these are', async () => {
    let mode: string | undefined;
    server.use(
      http.post(RANGE, ({ request }) => {
        mode = request.credentials;
        return matrix([]);
      }),
    );
    await queryRange({ query: 'up', start: 0, end: 10, step: 5 });
    expect(mode).toBe('omit');
  });

  it('renews a refused token once and asks again', async () => {
    const seen: (string | null)[] = [];
    server.use(
      http.post(RANGE, ({ request }) => {
        seen.push(request.headers.get('Authorization'));
        return seen.length === 1 ? expired() : matrix([]);
      }),
    );
    await expect(queryRange({ query: 'up', start: 0, end: 10, step: 5 })).resolves.toEqual([]);
    expect(seen).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('gives up after the second refusal', async () => {
    server.use(http.post(RANGE, expired));
    await expect(queryRange({ query: 'up', start: 0, end: 10, step: 5 })).rejects.toMatchObject({
      status: 401,
      code: 'token_expired',
    });
    expect(issued).toBe(2);
  });

  it("rejects with the store's own sentence", async () => {
    server.use(
      http.post(RANGE, () => HttpResponse.json({ status: 'error', error: 'cannot parse' }, { status: 422 })),
    );
    await expect(queryRange({ query: 'rate(', start: 0, end: 10, step: 5 })).rejects.toThrow('cannot parse');
  });

  it('stops when the caller does', async () => {
    server.use(http.post(RANGE, () => new Promise<never>(() => undefined)));
    const control = new AbortController();
    const asked = queryRange({ query: 'up', start: 0, end: 10, step: 5, signal: control.signal });
    control.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the read token', () => {
  it('is asked for once by charts that start together', async () => {
    server.use(http.post(RANGE, () => matrix([])));
    const one = () => queryRange({ query: 'up', start: 0, end: 10, step: 5 });
    await Promise.all([one(), one(), one()]);
    expect(issued).toBe(1);
  });

  it('is renewed at half of its life on the monotonic clock', async () => {
    server.use(http.post(RANGE, () => matrix([])));
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const one = () => queryRange({ query: 'up', start: 0, end: 10, step: 5 });
    await one();
    clock.mockReturnValue(149_999);
    await one();
    expect(issued).toBe(1);
    clock.mockReturnValue(150_000);
    await one();
    expect(issued).toBe(2);
  });

  it('is asked for again after a failure', async () => {
    server.use(http.post(TOKENS, () => HttpResponse.json({}, { status: 503 }), { once: true }));
    server.use(http.post(RANGE, () => matrix([])));
    const one = () => queryRange({ query: 'up', start: 0, end: 10, step: 5 });
    server.use(http.post(TOKENS, () => HttpResponse.json({}, { status: 503 }), { once: true }));
    await expect(one()).rejects.toMatchObject({ status: 503 });
    await expect(one()).rejects.toMatchObject({ status: 503 });
    await expect(one()).resolves.toEqual([]);
  });
});

describe('queryInstant', () => {
  it('gives one number a series and leaves out what is not a number', async () => {
    server.use(
      http.post(INSTANT, () =>
        HttpResponse.json({
          data: {
            result: [
              { metric: { node: 'a' }, value: [10, '0.5'] },
              { metric: { node: 'b' }, value: [10, 'NaN'] },
            ],
          },
        }),
      ),
    );
    await expect(queryInstant({ query: 'x' })).resolves.toEqual([{ labels: { node: 'a' }, value: 0.5 }]);
  });
});
