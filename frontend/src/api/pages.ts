/** One page of a list as the API answers it. */
interface Page<T> {
  next?: string | null;
  results: T[];
}

/** What to add to a list's query to get the page that `next` names; undefined on the last one. */
export function cursorOf(next: string | null | undefined): { cursor: string } | undefined {
  if (next === null || next === undefined) return undefined;
  const cursor = new URL(next, globalThis.location.origin).searchParams.get('cursor');
  return cursor === null ? undefined : { cursor };
}

/** Reads a list to its end, page by page. For lists that are short by nature; the fleet is not one of them. */
export async function everyPage<T>(
  read: (cursor: { cursor: string } | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: { cursor: string } | undefined;
  do {
    const page = await read(cursor);
    all.push(...page.results);
    cursor = cursorOf(page.next);
  } while (cursor !== undefined);
  return all;
}
