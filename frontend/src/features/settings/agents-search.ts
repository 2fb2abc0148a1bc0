/** What the address says of the agents page. */
export interface AgentsSearch {
  /** `1`: revoked and superseded agents are listed as well. */
  all?: '1';
  /** The agent whose revocation is being asked about. */
  revoke?: string;
}

export function validateAgentsSearch(raw: Record<string, unknown>): AgentsSearch {
  const search: AgentsSearch = {};
  if (raw['all'] === '1') search.all = '1';
  if (typeof raw['revoke'] === 'string' && raw['revoke'] !== '') search.revoke = raw['revoke'];
  return search;
}
