import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** What the server tells of, and the lists that show it. */
const SHOWN_BY: Record<string, readonly string[]> = {
  agent: ['agents', 'enrolment-tokens', 'fleet'],
  service: ['services', 'fleet', 'agents'],
  node: ['nodes', 'fleet'],
};
const ALL = [...new Set(Object.values(SHOWN_BY).flat())];

/** A fleet of 2,000 that changes at once makes one round of questions a second, not 2,000. */
const GATHER_MS = 1000;
/** How often lists are asked again while the stream is down. */
const POLL_MS = 10_000;
/** The browser reconnects by itself unless the server refused; then we do, after this pause. */
const REOPEN_MS = 15_000;

/** Keeps lists as fresh as the server's truth: by its event stream, and by asking again while there is none. */
export function useLiveEvents(): void {
  const queryClient = useQueryClient();
  useEffect(() => follow(queryClient), [queryClient]);
}

function follow(queryClient: QueryClient): () => void {
  const stale = new Set<string>();
  let gather: ReturnType<typeof setTimeout> | undefined;
  let reopen: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource | undefined;

  function refresh(lists: readonly string[]) {
    for (const list of lists) stale.add(list);
    gather ??= setTimeout(() => {
      gather = undefined;
      const due = [...stale];
      stale.clear();
      for (const list of due) void queryClient.invalidateQueries({ queryKey: [list] });
    }, GATHER_MS);
  }

  function open() {
    const opened = new EventSource('/api/v1/events');
    source = opened;
    for (const [event, lists] of Object.entries(SHOWN_BY)) {
      opened.addEventListener(event, () => refresh(lists));
    }
    // What happened while the stream was down was not told.
    opened.addEventListener('open', () => refresh(ALL));
    opened.addEventListener('error', () => {
      if (opened.readyState !== EventSource.CLOSED) return;
      clearTimeout(reopen);
      reopen = setTimeout(open, REOPEN_MS);
    });
  }

  open();
  const poll = setInterval(() => {
    if (source?.readyState !== EventSource.OPEN) refresh(ALL);
  }, POLL_MS);
  return () => {
    clearTimeout(gather);
    clearTimeout(reopen);
    clearInterval(poll);
    source?.close();
  };
}
