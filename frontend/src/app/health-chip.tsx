import { Popover, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Health } from '@/api/health';
import { healthQuery } from '@/api/health';
import { describeFailure } from '@/api/problem';
import type { Status } from '@/ui/status-mark';
import { StatusMark } from '@/ui/status-mark';
import classes from './health-chip.module.css';

/** How Leadline itself is doing, always in sight: what it shows of a fleet is only as true as its own parts. */
export function HealthChip() {
  const health = useQuery(healthQuery);
  const { state, word } = verdict(health.data, health.error);
  return (
    <Popover width={320} position="bottom-end" withArrow shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={classes.chip} aria-label={`Health of Leadline itself: ${word}`}>
          <StatusMark state={state} word={word} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Health of Leadline itself">
        <p className={classes.title}>Leadline itself</p>
        {health.error === null ? (
          <Parts health={health.data} />
        ) : (
          <p>{describeFailure(health.error).sentence}</p>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Parts({ health }: { health: Health | undefined }) {
  if (health === undefined) return <p>Asking the server…</p>;
  return (
    <ul className={classes.parts}>
      {health.parts.map(({ name, ok, detail }) => (
        <li key={name} className={classes.part}>
          <StatusMark state={ok ? 'up' : 'down'} word={ok ? 'Well' : 'Trouble'} compact />
          <span>
            <strong>{PART_NAMES[name] ?? name}</strong>
            {detail ? <span className={classes.detail}>{detail}</span> : null}
          </span>
        </li>
      ))}
    </ul>
  );
}

const PART_NAMES: Record<string, string> = {
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  victoriametrics: 'VictoriaMetrics',
  ingest: 'Ingest',
  disk: 'Own disk',
};

function verdict(health: Health | undefined, error: Error | null): { state: Status; word: string } {
  if (error !== null) return { state: 'silent', word: 'No answer' };
  if (health === undefined) return { state: 'waiting', word: 'Asking' };
  if (health.ok) return { state: 'up', word: 'Healthy' };
  const [first, ...others] = health.parts
    .filter((part) => !part.ok)
    .map(({ name }) => PART_NAMES[name] ?? name);
  if (first === undefined) return { state: 'down', word: 'Trouble' };
  return { state: 'down', word: others.length === 0 ? first : `${first} +${others.length}` };
}
