import type { Service } from '@/api/services';
import { useNow } from '@/ui/relative-time';
import { StatusMark } from '@/ui/status-mark';
import { formatAgo, formatMoment } from '@/units/time';
import classes from './service-page.module.css';

/** The state as one sentence across the page: the answer before the numbers. */
export function Verdict({ service }: { service: Service }) {
  const now = useNow(1000) / 1000;
  return (
    <div className={classes.verdict} data-state={service.state} role="status">
      <StatusMark state={service.state} />
      <span>{verdictText(service, now)}</span>
    </div>
  );
}

/** Unix seconds of the last sign of life; null when there has been none. */
export function lastSeen(service: Pick<Service, 'last_seen'>): number | null {
  return service.last_seen ? new Date(service.last_seen).getTime() / 1000 : null;
}

export function verdictText(
  service: Pick<Service, 'state' | 'reason' | 'last_seen' | 'node'>,
  now: number,
): string {
  const seen = lastSeen(service);
  const node = service.node || 'its node';
  const reason = service.reason ? sentence(service.reason) : '';
  switch (service.state) {
    case 'up':
      return reason || `The agent on ${node} reaches it.`;
    case 'down':
      return reason || `The agent on ${node} does not reach it.`;
    case 'silent':
      return [
        seen === null
          ? `The agent on ${node} has never been heard of.`
          : `The agent on ${node} has not been heard of since ${formatMoment(seen, 'browser', true)} (${formatAgo(seen, now)}); the charts end there.`,
        'Whether the database is up is not known.',
      ].join(' ');
    case 'waiting':
      return reason || `Waiting for the first report of the agent on ${node}.`;
  }
}

function sentence(text: string): string {
  return /[.!?;]$/.test(text) ? text : `${text}.`;
}
