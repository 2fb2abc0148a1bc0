import { client, dataOf } from './client';

interface Held {
  token: string;
  /** On the monotonic clock, in milliseconds: half of the token's life, so that a wrong wall clock does no harm. */
  renewAt: number;
}

let held: Held | undefined;
let pending: Promise<Held> | undefined;

/** A token for reading metrics, shared by all charts: one request serves everyone who asks at the same time. */
export async function readToken(): Promise<string> {
  if (held !== undefined && performance.now() < held.renewAt) return held.token;
  if (pending === undefined) {
    const request = requestToken();
    pending = request;
    void request.then(
      (answer) => settle(request, answer),
      () => settle(request, undefined),
    );
  }
  return (await pending).token;
}

/** Drops the token that was refused; one that has been renewed meanwhile stays. Without an argument any is dropped: another person may sign in. */
export function forgetReadToken(refused?: string): void {
  if (refused === undefined) pending = undefined;
  if (refused === undefined || held?.token === refused) held = undefined;
}

/** Ignores an answer that was asked for before the token was forgotten. */
function settle(request: Promise<Held>, answer: Held | undefined): void {
  if (pending !== request) return;
  pending = undefined;
  held = answer;
}

async function requestToken(): Promise<Held> {
  const asked = performance.now();
  const { token, expires_in } = dataOf(await client.POST('/api/v1/tokens/read'));
  return { token, renewAt: asked + (expires_in * 1000) / 2 };
}
