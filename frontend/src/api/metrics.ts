import { ApiProblem, problemOf, unreachable } from './problem';
import { forgetReadToken, readToken } from './read-token';

/** One line of a chart. `times` and `values` have the same length; a step without data is null, so that a gap is drawn as one. */
export interface Series {
  labels: Readonly<Record<string, string>>;
  /** Unix seconds: every step from start to end, the same grid for each series of an answer. */
  times: number[];
  values: (number | null)[];
}

/** One number now, in the unit of the query. */
export interface InstantValue {
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface RangeQuery {
  /** MetricsQL. The store limits it to the org of the signed-in person. */
  query: string;
  /** Unix seconds; both ends are moved down to a multiple of `step`, as the store does, so that panels share one grid. */
  start: number;
  end: number;
  /** Seconds between points, a positive whole number. */
  step: number;
  signal?: AbortSignal;
}

export interface InstantQuery {
  query: string;
  /** Unix seconds; now when left out. */
  time?: number;
  signal?: AbortSignal;
}

/**
 * Asks the store for lines over time.
 *
 * @throws ApiProblem with the store's own sentence where the query is wrong or the range too large.
 */
export async function queryRange(range: RangeQuery): Promise<Series[]> {
  const { query, step, signal } = range;
  const start = Math.floor(range.start / step) * step;
  const end = Math.floor(range.end / step) * step;
  const result = await ask('query_range', { query, start, end, step }, signal);
  const times = grid(start, end, step);
  return result.map(({ metric, values = [] }) => ({
    labels: metric,
    times,
    values: onGrid(values, times.length, start, step),
  }));
}

/** Asks the store for one number a series. Series whose value is not a number (0/0) are left out. */
export async function queryInstant({ query, time, signal }: InstantQuery): Promise<InstantValue[]> {
  const parameters = time === undefined ? { query } : { query, time };
  const result = await ask('query', parameters, signal);
  return result.flatMap(({ metric, value }) => {
    const number = value === undefined ? null : toNumber(value[1]);
    return number === null ? [] : [{ labels: metric, value: number }];
  });
}

type Sample = [time: number, value: string];
interface StoreSeries {
  metric: Record<string, string>;
  value?: Sample;
  values?: Sample[];
}

async function ask(
  endpoint: 'query' | 'query_range',
  parameters: Record<string, string | number>,
  signal: AbortSignal | undefined,
): Promise<StoreSeries[]> {
  const first = await readToken();
  try {
    return await send(endpoint, parameters, first, signal);
  } catch (problem) {
    if (!(problem instanceof ApiProblem && problem.code === 'token_expired')) throw problem;
    // The keys may have been rotated or this machine may have slept: one fresh token, then the problem stands.
    forgetReadToken(first);
    return send(endpoint, parameters, await readToken(), signal);
  }
}

async function send(
  endpoint: string,
  parameters: Record<string, string | number>,
  token: string,
  signal: AbortSignal | undefined,
): Promise<StoreSeries[]> {
  const body = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
  const request = new Request(`${globalThis.location.origin}/prometheus/api/v1/${endpoint}`, {
    // POST keeps long queries out of addresses and logs.
    method: 'POST',
    body,
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
    credentials: 'omit',
    signal: signal ?? null,
  });
  const response = await fetch(request).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (!response.ok) throw await problemOf(response);
  const answer: { data: { result: StoreSeries[] } } = await response.json();
  return answer.data.result;
}

function grid(start: number, end: number, step: number): number[] {
  const length = Math.max(0, Math.round((end - start) / step) + 1);
  return Array.from({ length }, (_, index) => start + index * step);
}

function onGrid(samples: Sample[], length: number, start: number, step: number): (number | null)[] {
  const values = new Array<number | null>(length).fill(null);
  for (const [time, value] of samples) {
    const index = Math.round((time - start) / step);
    if (index >= 0 && index < length) values[index] = toNumber(value);
  }
  return values;
}

/** The store writes NaN and ±Inf as words; a chart can draw neither. */
function toNumber(value: string): number | null {
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
