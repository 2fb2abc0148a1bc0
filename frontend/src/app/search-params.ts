/** What the address bar says after `?`: plain strings, so that an address can be read, typed and pasted. */
export type RawSearch = Record<string, string>;

/** Reads `?a=1&b=x`; of a repeated name the last one counts. */
export function parseSearch(search: string): RawSearch {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Writes the search part of an address. What is undefined, null or empty is left out: defaults do not stand in addresses. */
export function stringifySearch(search: object): string {
  const given = Object.entries(search).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  // Commas, colons and slashes are legal in a query and stand in ranges and addresses: they stay readable.
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
    .toString()
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':')
    .replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

/** Names that stand in the address but mean nothing to the page. */
export function unknownNames(asked: object, understood: object): string[] {
  const known = new Set(
    Object.entries(understood).flatMap(([name, value]) => (value === undefined ? [] : [name])),
  );
  return Object.keys(asked).filter((name) => !known.has(name));
}

/** Where to go after signing in: only a path of this site, so that no link can lead a person elsewhere. */
export function safeNext(next: unknown): string | undefined {
  if (typeof next !== 'string' || !/^\/(?![/\\])/.test(next) || next.startsWith('/sign-in')) return undefined;
  return next;
}
