import { Button, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Agent } from '@/api/agents';
import { useHasRole } from '@/api/session';
import records from '@/ui/records.module.css';
import { RelativeTime } from '@/ui/relative-time';
import type { Status } from '@/ui/status-mark';
import { StatusMark } from '@/ui/status-mark';
import { formatSpan } from '@/units/time';
import { formatValue } from '@/units/units';
import { CLOCK_BAD_SECONDS, CLOCK_WARN_SECONDS, isRetired } from './agent-trouble';
import classes from './agents-table.module.css';

interface AgentsTableProps {
  agents: Agent[];
  onRevoke: (id: string) => void;
}

export function AgentsTable({ agents, onRevoke }: AgentsTableProps) {
  return (
    <div className={records.box}>
      <table className={records.table}>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Host</th>
            <th scope="col">Version</th>
            <th scope="col">Last seen</th>
            <th scope="col" className={records.number}>
              Clock
            </th>
            <th scope="col" className={records.number}>
              Backlog
            </th>
            <th scope="col" className={records.number}>
              Dropped
            </th>
            <th scope="col">Services</th>
            <th scope="col">
              <VisuallyHidden>What can be done</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <Fragment key={agent.id}>
              <AgentRow agent={agent} onRevoke={onRevoke} />
              {agent.problems.length === 0 ? null : <ProblemsRow agent={agent} />}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AgentRow({ agent, onRevoke }: { agent: Agent; onRevoke: (id: string) => void }) {
  const allowed = useHasRole('operator');
  // Before the first report, and after the last, there is nothing to say.
  const spool = isRetired(agent) || !agent.last_seen ? null : agent.spool;
  return (
    <tr>
      <td className={records.state}>
        <AgentState state={agent.state} />
      </td>
      <td className={records.name}>{agent.node}</td>
      <td data-label="Version" className={records.short}>
        {agent.version || <span className={records.muted}>not told yet</span>}
      </td>
      <td data-label="Last seen" className={records.short}>
        {agent.last_seen ? (
          <RelativeTime at={agent.last_seen} />
        ) : (
          <span className={records.muted}>never</span>
        )}
      </td>
      <td data-label="Clock" className={records.number}>
        <Clock offset={isRetired(agent) ? null : agent.clock_offset_seconds} />
      </td>
      <td data-label="Backlog" className={records.number}>
        <Backlog spool={spool} />
      </td>
      <td data-label="Dropped" className={records.number}>
        <Dropped spool={spool} />
      </td>
      <td data-label="Services">
        <Services slugs={agent.services} />
      </td>
      <td className={records.action}>
        {isRetired(agent) || !allowed ? null : (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`Revoke the agent of ${agent.node}`}
            onClick={() => onRevoke(agent.id)}
          >
            Revoke…
          </Button>
        )}
      </td>
    </tr>
  );
}

const STATES: Record<Agent['state'], { state: Status; word: string }> = {
  up: { state: 'up', word: 'Up' },
  silent: { state: 'silent', word: 'Silent' },
  waiting: { state: 'waiting', word: 'Waiting' },
  revoked: { state: 'off', word: 'Revoked' },
  superseded: { state: 'off', word: 'Superseded' },
};

function AgentState({ state }: { state: Agent['state'] }) {
  return <StatusMark {...(STATES[state] ?? { state: 'unknown' })} />;
}

/** How far the host's clock is from the server's. Samples are stamped with the corrected time, so this is a warning, not a loss. */
function Clock({ offset }: { offset: number | null | undefined }) {
  if (offset === null || offset === undefined) return <span className={records.muted}>–</span>;
  const size = Math.abs(offset);
  const text = formatValue(size, 's');
  if (size < CLOCK_WARN_SECONDS) return <>{text} off</>;
  return (
    <span className={size < CLOCK_BAD_SECONDS ? records.warn : records.bad}>
      {text} {offset > 0 ? 'ahead' : 'behind'}
    </span>
  );
}

interface SpoolProps {
  spool: Agent['spool'] | null;
}

/** What waits on the host to be sent, and since when. */
function Backlog({ spool }: SpoolProps) {
  if (!spool) return <span className={records.muted}>–</span>;
  if (spool.bytes === 0) return <>none</>;
  return (
    <>
      {formatValue(spool.bytes, 'bytes')}, {formatSpan(spool.oldest_age_seconds)}
    </>
  );
}

function Dropped({ spool }: SpoolProps) {
  if (!spool) return <span className={records.muted}>–</span>;
  if (spool.dropped_samples === 0) return <>none</>;
  return <span className={records.bad}>{formatValue(spool.dropped_samples, 'suffix:samples')}</span>;
}

function Services({ slugs }: { slugs: string[] }) {
  if (slugs.length === 0) return <span className={`${records.muted} ${records.short}`}>host only</span>;
  return (
    <span className={classes.services}>
      {slugs.map((slug) => (
        <Link key={slug} to="/services/$slug" params={{ slug }} className={classes.service}>
          {slug}
        </Link>
      ))}
    </span>
  );
}

/** What the agent says is wrong, one sentence a service, in the row below its own. */
function ProblemsRow({ agent }: { agent: Agent }) {
  return (
    <tr className={records.joined}>
      <td colSpan={9}>
        <ul className={classes.problems} aria-label={`Problems of ${agent.node}`}>
          {agent.problems.map(({ service, error }) => (
            <li key={service} className={classes.problem}>
              <StatusMark state="down" word={service} />
              <span>{error}</span>
            </li>
          ))}
        </ul>
      </td>
    </tr>
  );
}
