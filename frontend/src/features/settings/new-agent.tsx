import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { agentsQuery } from '@/api/agents';
import type { NewEnrolmentToken } from '@/api/enrolment-tokens';
import { enrolmentTokensQuery, useCreateEnrolmentToken } from '@/api/enrolment-tokens';
import { describeFailure } from '@/api/problem';
import { CommandLine } from '@/ui/command-line';
import { ErrorPanel } from '@/ui/error-panel';
import { useNow } from '@/ui/relative-time';
import { StatusMark } from '@/ui/status-mark';
import { formatSpan } from '@/units/time';
import classes from './enrolment-page.module.css';

/** Makes a token, shows it this once with the command that asks for it, and waits for the agent that uses it. */
export function NewAgent() {
  const create = useCreateEnrolmentToken();
  if (create.data === undefined) {
    return (
      <>
        {create.isError ? <ErrorPanel what="A new token" {...describeFailure(create.error)} /> : null}
        <p className={classes.words}>
          The token is shown once. Have a shell on the host ready, with <code>leadline-agent</code> installed.
        </p>
        <Button onClick={() => create.mutate()} loading={create.isPending}>
          Create an enrolment token
        </Button>
      </>
    );
  }
  return <Steps token={create.data} onAnother={() => create.mutate()} />;
}

function Steps({ token, onAnother }: { token: NewEnrolmentToken; onAnother: () => void }) {
  return (
    <>
      <ol className={classes.steps}>
        <li className={classes.step}>
          <div>
            <p className={classes.words}>Run this on the host. It asks for the token.</p>
            <CommandLine name="the enrol command" text={token.command} />
          </div>
        </li>
        <li className={classes.step}>
          <div>
            <p className={classes.words}>Paste the token there. It is shown only now.</p>
            <CommandLine name="the token" text={token.token} />
            <p className={classes.once}>
              <Expiry at={token.expires_at} /> Never put it on a command line: other people on the host can
              read those.
            </p>
          </div>
        </li>
        <li className={classes.step}>
          <div>
            <p className={classes.words}>Start the agent.</p>
            <CommandLine name="the run command" text="bin/leadline-agent run" />
          </div>
        </li>
      </ol>
      <Progress token={token} onAnother={onAnother} />
    </>
  );
}

function Expiry({ at }: { at: string }) {
  const left = (new Date(at).getTime() - useNow(1000)) / 1000;
  if (left <= 0) return <strong>This token has expired.</strong>;
  return <span>It expires in {formatSpan(left)}.</span>;
}

/** Token unused, token used, agent up: told live, so that nobody has to look for it. */
function Progress({ token, onAnother }: { token: NewEnrolmentToken; onAnother: () => void }) {
  const tokens = useQuery(enrolmentTokensQuery);
  const agents = useQuery(agentsQuery);
  const node = tokens.data?.find(({ id }) => id === token.id)?.used_by;
  const connected = agents.data?.some((agent) => agent.node === node && agent.state === 'up') ?? false;
  const expired = useNow(1000) > new Date(token.expires_at).getTime();

  return (
    <div className={classes.progress} data-done={connected} role="status">
      {!node && !expired ? <StatusMark state="waiting" word="Waiting for the agent…" /> : null}
      {!node && expired ? (
        <StatusMark state="silent" word="The token expired before an agent used it." />
      ) : null}
      {node && !connected ? (
        <StatusMark state="waiting" word={`Agent ${node} is enrolled; waiting for its first report…`} />
      ) : null}
      {connected ? (
        <>
          <StatusMark state="up" word={`Agent ${node} connected`} />
          <Link to="/settings/agents">See the agents</Link>
        </>
      ) : null}
      {connected || expired ? (
        <Button variant="default" size="compact-sm" onClick={onAnother}>
          Create another token
        </Button>
      ) : null}
    </div>
  );
}
