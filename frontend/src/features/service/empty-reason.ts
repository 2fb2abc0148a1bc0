import type { Service } from '@/api/services';
import type { Window } from '@/time-range/step';
import type { Zone } from '@/units/time';
import { formatMoment } from '@/units/time';
import type { Panel } from './panel';
import { lastSeen } from './verdict';

/** Why a chart has nothing to draw, in one or two sentences. */
export function emptyReason(
  panel: Pick<Panel, 'source' | 'id'>,
  service: Pick<Service, 'state' | 'last_seen' | 'created_at' | 'node'>,
  window: Window,
  zone: Zone,
): string {
  const seen = lastSeen(service);
  const added = new Date(service.created_at).getTime() / 1000;
  if (added > window.end) {
    return `The service was added on ${formatMoment(added, zone)}, after this window ends.`;
  }
  if (seen === null) return 'Nothing has been measured yet: the agent has not reported this service.';
  if (seen < window.start) {
    return `The agent has not been heard of since ${formatMoment(seen, zone)}, before this window begins.`;
  }
  if (panel.id === 'buffer-pool') {
    return 'No page was read from the buffer pool in this window, so there is no ratio.';
  }
  if (panel.source === 'node') {
    return `The agent on ${service.node} sent no figures of this kind about its host in this window.`;
  }
  return 'The agent sent no figures of this kind in this window; it reads them only while the database answers.';
}
