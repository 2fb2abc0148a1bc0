import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCreateEnrolmentToken } from '@/api/enrolment-tokens';
import { describeFailure } from '@/api/problem';
import { sessionQuery } from '@/api/session';
import { CommandLine } from '@/ui/command-line';
import { ErrorPanel } from '@/ui/error-panel';
import { formatMoment } from '@/units/time';

/** Makes an enrolment token and shows it this once; those who may not are told whom to ask. */
export function FirstToken() {
  const { data: session } = useQuery(sessionQuery);
  const create = useCreateEnrolmentToken();
  if (session?.role === 'viewer') {
    return <p>Ask an operator, admin or owner of your org for an enrolment token.</p>;
  }
  if (create.data) {
    const expires = Math.floor(new Date(create.data.expires_at).getTime() / 60_000) * 60;
    return (
      <div>
        <p>
          The token, for one agent; it is shown only now and expires at {formatMoment(expires, 'browser')}:
        </p>
        <CommandLine name="the token" text={create.data.token} />
        <p>Then start the agent:</p>
        <CommandLine name="the run command" text="bin/leadline-agent run" />
      </div>
    );
  }
  return (
    <div>
      {create.isError ? <ErrorPanel what="A new token" {...describeFailure(create.error)} /> : null}
      <Button size="sm" loading={create.isPending} onClick={() => create.mutate()}>
        Create an enrolment token
      </Button>
    </div>
  );
}
