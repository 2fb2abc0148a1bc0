import createClient from 'openapi-fetch';
import { problemOf, unreachable } from './problem';
import type { paths } from './schema';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Every path of the OpenAPI document, typed. It rejects with ApiProblem, so an answer always has `data`. */
export const client = createClient<paths>({
  // An absolute base lets the same code run under Node in tests.
  baseUrl: globalThis.location.origin,
  credentials: 'same-origin',
  fetch: (request) => send(request),
});

/**
 * Sends one request with the session cookie and, where it changes something, the CSRF token.
 *
 * @throws ApiProblem when the server refuses, fails or does not answer; the abort's own error when the caller aborted.
 */
export async function send(request: Request): Promise<Response> {
  request.headers.set('Accept', 'application/json, application/problem+json');
  if (!SAFE_METHODS.has(request.method)) request.headers.set('X-CSRFToken', csrfToken());
  const response = await fetch(request).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** Django sets this cookie with the answer to `GET /api/v1/session`. */
function csrfToken(): string {
  const entry = document.cookie.split('; ').find((cookie) => cookie.startsWith('csrftoken='));
  return decodeURIComponent(entry?.slice('csrftoken='.length) ?? '');
}

/** The JSON that a path answers with when all is well. */
export type Answer<
  P extends keyof paths,
  M extends keyof paths[P] = 'get' & keyof paths[P],
> = paths[P][M] extends { responses: infer R } ? JsonOf<R[keyof R & (200 | 201)]> : never;

type JsonOf<R> = R extends { content: { 'application/json': infer T } } ? T : never;

/** The body of an answer that `send` has let through. */
export function dataOf<T>(answer: { data?: T }): T {
  if (answer.data === undefined) throw new Error('the server answered without a body');
  return answer.data;
}
