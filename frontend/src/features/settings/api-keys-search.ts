/** What the address says of the API keys page: which of its two dialogs is open. */
export interface ApiKeysSearch {
  create?: '1';
  /** The key whose revocation is being asked about. */
  revoke?: string;
}

export function validateApiKeysSearch(raw: Record<string, unknown>): ApiKeysSearch {
  const search: ApiKeysSearch = {};
  if (raw['create'] === '1') search.create = '1';
  if (typeof raw['revoke'] === 'string' && raw['revoke'] !== '') search.revoke = raw['revoke'];
  return search;
}
