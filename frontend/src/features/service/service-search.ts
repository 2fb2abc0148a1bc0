/** What the address says of this page. */
export type ServiceSearch = Record<string, never>;

export function validateServiceSearch(_raw: Record<string, unknown>): ServiceSearch {
  return {};
}
