import { useQuery } from '@tanstack/react-query';
import { enrolmentTokensQuery } from '@/api/enrolment-tokens';
import { describeFailure } from '@/api/problem';
import { sessionQuery, useHasRole } from '@/api/session';
import { EmptyState } from '@/ui/empty-state';
import { ErrorPanel } from '@/ui/error-panel';
import { LoadingList } from '@/ui/list-states';
import { PageHeader } from '@/ui/page-header';
import { AddDatabase } from './add-database';
import classes from './enrolment-page.module.css';
import { EnrolmentTokens } from './enrolment-tokens';
import { NewAgent } from './new-agent';

/** How a host comes to be watched: a token, one command there, and a line that says when it has worked. */
export function EnrolmentPage() {
  const allowed = useHasRole('operator');
  return (
    <>
      <PageHeader
        title="Enrolment"
        lead="A host is enrolled once, with a token that works for one agent and one hour."
      />
      <div className={classes.columns}>
        <section className={classes.card} aria-labelledby="enrol-host">
          <h2 id="enrol-host" className={classes.heading}>
            Enrol a host
          </h2>
          <ReachNote />
          {allowed ? (
            <NewAgent />
          ) : (
            <EmptyState title="Viewers make no tokens">
              Ask an operator, admin or owner of your org for one.
            </EmptyState>
          )}
        </section>
        <section className={classes.card} aria-labelledby="add-database">
          <h2 id="add-database" className={classes.heading}>
            Then add its databases
          </h2>
          <AddDatabase />
        </section>
      </div>
      <h2 className={classes.heading}>Tokens</h2>
      <TokenList />
    </>
  );
}

function ReachNote() {
  const { data: session } = useQuery(sessionQuery);
  if (session?.reachable !== false) return null;
  return (
    <p className={classes.note}>
      Only this machine can reach {session.public_url}. For other hosts, set <code>LISTEN</code> and{' '}
      <code>PUBLIC_URL</code> first.
    </p>
  );
}

function TokenList() {
  const tokens = useQuery(enrolmentTokensQuery);
  return (
    <>
      {tokens.isError ? (
        <ErrorPanel
          what="The list of tokens"
          {...describeFailure(tokens.error)}
          onRetry={() => void tokens.refetch()}
        />
      ) : null}
      {tokens.isPending ? <LoadingList of="tokens" /> : null}
      {tokens.data?.length === 0 ? (
        <EmptyState title="No token yet">
          Tokens are listed here once one is made; their secret is not.
        </EmptyState>
      ) : null}
      {tokens.data?.length ? <EnrolmentTokens tokens={tokens.data} /> : null}
    </>
  );
}
