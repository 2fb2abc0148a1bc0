import type { Agent } from '@/api/agents';

/** From here on the server warns of an agent's clock, in seconds. */
export const CLOCK_WARN_SECONDS = 2;
/** From here on it is wrong enough to mislead: charts are drawn by it. */
export const CLOCK_BAD_SECONDS = 30;

/** An agent that is no longer meant to report. */
export function isRetired(agent: Agent): boolean {
  return agent.state === 'revoked' || agent.state === 'superseded';
}

/** How much an agent needs somebody: higher first. Silence hides everything else, so it leads. */
function troubleRank(agent: Agent): number {
  if (isRetired(agent)) return -1;
  if (agent.state === 'silent') return 5;
  if (agent.problems.length > 0) return 4;
  if (Math.abs(agent.clock_offset_seconds ?? 0) >= CLOCK_BAD_SECONDS) return 3;
  if ((agent.spool?.dropped_samples ?? 0) > 0) return 3;
  if (Math.abs(agent.clock_offset_seconds ?? 0) >= CLOCK_WARN_SECONDS) return 2;
  if (agent.state === 'waiting') return 1;
  return 0;
}

/** Trouble first, then by host. */
export function byTrouble(agents: readonly Agent[]): Agent[] {
  return agents.toSorted((a, b) => troubleRank(b) - troubleRank(a) || a.node.localeCompare(b.node));
}
