import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useEffect } from 'react';
import type { Credentials } from '@/api/auth';
import { signIn } from '@/api/auth';
import { ApiProblem, describeFailure } from '@/api/problem';
import { forgetReadToken } from '@/api/read-token';
import { sessionQuery } from '@/api/session';
import classes from './sign-in-page.module.css';

const route = getRouteApi('/sign-in');

/** E-mail and password; afterwards the page that was asked for. */
export function SignInPage() {
  useDocumentTitle('Sign in · Leadline');
  const { next } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  // Asking sets the CSRF cookie, without which the server refuses to sign anyone in.
  const session = useQuery({ ...sessionQuery, staleTime: 0 });
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: async () => {
      forgetReadToken();
      queryClient.clear();
      await queryClient.fetchQuery(sessionQuery);
      router.history.push(next ?? '/');
    },
  });

  const alreadySignedIn = session.data?.authenticated === true;
  useEffect(() => {
    if (alreadySignedIn) router.history.replace(next ?? '/');
  }, [alreadySignedIn, next, router]);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    attempt.mutate({
      email: String(form.get('email')),
      password: String(form.get('password')),
    } satisfies Credentials);
  }

  const error = attempt.error ?? session.error;
  return (
    <main className={classes.page}>
      <form className={classes.card} onSubmit={submit}>
        <img src="/leadline.svg" alt="" width="40" height="40" />
        <h1 className={classes.title}>Sign in to Leadline</h1>
        {error === null ? null : (
          <p role="alert" className={classes.error}>
            {sentence(error)}
          </p>
        )}
        <TextInput
          name="email"
          type="email"
          label="E-mail"
          autoComplete="username"
          required
          withAsterisk={false}
          size="md"
          data-autofocus
        />
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          size="md"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
        />
        <Button type="submit" size="md" fullWidth loading={attempt.isPending}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

function sentence(error: Error): string {
  if (!(error instanceof ApiProblem)) return describeFailure(error).sentence;
  if (error.status === 429) return 'Too many attempts to sign in. Wait a few minutes, then try again.';
  if (error.status === 403) return 'The server did not accept this form. Reload the page and try again.';
  if (error.status === 400 || error.status === 401) return 'The e-mail or the password is wrong.';
  return error.message;
}
