/** What the address says of this page. */
export type FleetSearch = Record<string, never>;

export function validateFleetSearch(_raw: Record<string, unknown>): FleetSearch {
  return {};
}
