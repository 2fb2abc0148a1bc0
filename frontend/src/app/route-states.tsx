import { Button, Loader } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link, useRouter } from '@tanstack/react-router';
import { describeFailure } from '@/api/problem';
import { EmptyState } from '@/ui/empty-state';
import { ErrorPanel } from '@/ui/error-panel';
import { PageHeader } from '@/ui/page-header';
import classes from './route-states.module.css';

/** While a route's code or its session check is on the way; the router shows it only after a second. */
export function RoutePending() {
  return (
    <div className={classes.pending}>
      <Loader size="sm" aria-hidden />
      <span role="status">Loading…</span>
    </div>
  );
}

/** One route failed; the shell around it, where there is one, goes on. */
export function RouteFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  function retry() {
    reset();
    void router.invalidate();
  }
  return (
    <div className={classes.alone}>
      <PageHeader title="Something failed" />
      <ErrorPanel what="This page" {...describeFailure(error)} onRetry={retry} />
    </div>
  );
}

/** The shell itself failed, so nothing stands around the message. */
export function ShellFailure(props: ErrorComponentProps) {
  return (
    <main>
      <RouteFailure {...props} />
    </main>
  );
}

export function NotFoundPage() {
  return (
    <main className={classes.alone}>
      <PageHeader title="No such page" />
      <EmptyState title="There is nothing at this address">
        <p>It may have been mistyped, or the page may have moved.</p>
        <Button component={Link} to="/" variant="default" size="xs">
          Go to the fleet
        </Button>
      </EmptyState>
    </main>
  );
}
