/** What the address says of the fleet page; what does not filter is left out. */
export interface FleetSearch {
  q?: string;
  engine?: string;
  environment?: string;
  cluster?: string;
  state?: (typeof STATES)[number];
}

/** By severity: what needs a person first. */
export const STATES = ['down', 'silent', 'waiting', 'up'] as const;

const TEXTS = ['q', 'engine', 'environment', 'cluster'] as const;

export function validateFleetSearch(raw: Record<string, unknown>): FleetSearch {
  const search: FleetSearch = {};
  for (const name of TEXTS) {
    const value = raw[name];
    if (typeof value === 'string' && value !== '') search[name] = value;
  }
  const state = STATES.find((known) => known === raw['state']);
  if (state) search.state = state;
  return search;
}
