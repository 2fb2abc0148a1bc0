import { send } from './client';

export interface Credentials {
  email: string;
  password: string;
}

/** Opens a session. @throws ApiProblem with status 400 for a wrong e-mail or password, 429 after too many attempts. */
export async function signIn(credentials: Credentials): Promise<void> {
  await send(
    new Request(`${globalThis.location.origin}/api/auth/browser/v1/auth/login`, {
      method: 'POST',
      body: JSON.stringify(credentials),
      headers: { 'Content-Type': 'application/json' },
    }),
  );
}

/** Ends the session. The identity server answers 401 to say 'nobody is signed in now', which is what was asked for. */
export async function signOut(): Promise<void> {
  const request = new Request(`${globalThis.location.origin}/api/auth/browser/v1/auth/session`, {
    method: 'DELETE',
  });
  await send(request).catch((problem: unknown) => {
    if (!(problem instanceof Error && 'status' in problem && problem.status === 401)) throw problem;
  });
}
