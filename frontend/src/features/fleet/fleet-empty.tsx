import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FleetAnswer } from '@/api/fleet';
import { sessionQuery } from '@/api/session';
import { CommandLine } from '@/ui/command-line';
import { EmptyState } from '@/ui/empty-state';
import { StatusMark } from '@/ui/status-mark';
import { FirstToken } from './first-token';
import classes from './fleet-page.module.css';

export interface FleetEmptyProps {
  readonly reason: FleetAnswer['empty_reason'];
  readonly onClear: () => void;
}

/** Why there is no row, in the server's words, and the one thing to do about it. */
export function FleetEmpty({ reason, onClear }: FleetEmptyProps) {
  switch (reason) {
    case 'no_agent':
      return <FirstAgent />;
    case 'no_service':
      return <FirstService />;
    case 'agent_silent':
      return (
        <EmptyState title="No service yet, and the agent is silent">
          <p>
            An agent is enrolled, but it has not been heard of for a minute or more. Check that it runs on its
            host:
          </p>
          <CommandLine name="the status command" text="bin/leadline-agent status" />
          <p>
            <Link to="/settings/agents">See the agents</Link>
          </p>
        </EmptyState>
      );
    default:
      return (
        <EmptyState title="No service passes these filters">
          <p>There are services, but none that all of the filters let through.</p>
          <Button variant="default" size="xs" onClick={onClear}>
            Clear filters
          </Button>
        </EmptyState>
      );
  }
}

function FirstAgent() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <EmptyState title="Nothing is watched yet">
      <p>Run this on the host of a database. It asks for an enrolment token and then the host is watched.</p>
      <CommandLine
        name="the enrol command"
        text={`bin/leadline-agent enroll --server ${session?.public_url ?? globalThis.location.origin}`}
      />
      <FirstToken />
      <div className={classes.waiting} role="status">
        <StatusMark state="waiting" word="Waiting for the first agent…" />
      </div>
    </EmptyState>
  );
}

function FirstService() {
  return (
    <EmptyState title="An agent is connected; no database is added yet">
      <p>On its host, add the first database. It asks for the password, which stays on the host.</p>
      <CommandLine
        name="the add command"
        text="bin/leadline-agent add mysql --name orders-db --address 127.0.0.1:3306 --user leadline"
      />
      <p>
        <Link to="/settings/enrolment">The grants the user needs, and the other steps</Link>
      </p>
      <div className={classes.waiting} role="status">
        <StatusMark state="waiting" word="Waiting for the first database…" />
      </div>
    </EmptyState>
  );
}
