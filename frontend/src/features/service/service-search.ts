import type { TimeSearch } from '@/time-range/range';
import { validateTimeSearch } from '@/time-range/range';
import type { PanelId } from './panel';
import { isPanelId } from './panel';

/** What the address says of a service's page. */
export interface ServiceSearch extends TimeSearch {
  /** The one chart that fills the page. */
  panel?: PanelId;
  /** Lines that are hidden: `load.cpus,disk-space./var`. */
  hidden?: string;
  /** `1`: the edit form is open. */
  edit?: '1';
}

export function validateServiceSearch(raw: Record<string, unknown>): ServiceSearch {
  const search: ServiceSearch = validateTimeSearch(raw, Date.now() / 1000);
  const { panel, hidden, edit } = raw;
  return {
    ...search,
    ...(isPanelId(panel) ? { panel } : {}),
    ...(typeof hidden === 'string' && hidden !== '' ? { hidden } : {}),
    ...(edit === '1' ? { edit } : {}),
  };
}

/** The hidden lines of one panel. A line's id may hold anything (a mount point does), so it is written URI-encoded. */
export function hiddenOf(search: ServiceSearch, panel: PanelId): ReadonlySet<string> {
  const entries = (search.hidden ?? '').split(',').filter((entry) => entry.startsWith(`${panel}.`));
  return new Set(entries.map((entry) => decode(entry.slice(panel.length + 1))));
}

/** The search with the hidden lines of one panel replaced. */
export function withHidden(search: ServiceSearch, panel: PanelId, lines: ReadonlySet<string>): ServiceSearch {
  const others = (search.hidden ?? '')
    .split(',')
    .filter((entry) => entry !== '' && !entry.startsWith(`${panel}.`));
  const own = [...lines].sort().map((line) => `${panel}.${encode(line)}`);
  const { hidden: _before, ...rest } = search;
  const all = [...others, ...own];
  return all.length > 0 ? { ...rest, hidden: all.join(',') } : rest;
}

function encode(line: string): string {
  return encodeURIComponent(line).replaceAll('%2F', '/');
}

/** An address typed by hand may hold a lone percent sign. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
