import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { FleetAnswer, FleetRow } from '@/api/fleet';
import { fleetQuery } from '@/api/fleet';
import { describeFailure } from '@/api/problem';
import { ErrorPanel } from '@/ui/error-panel';
import { LoadingList } from '@/ui/list-states';
import { PageHeader } from '@/ui/page-header';
import { FleetCounts } from './fleet-counts';
import { FleetEmpty } from './fleet-empty';
import { FleetFilters } from './fleet-filters';
import classes from './fleet-page.module.css';
import type { FleetSearch } from './fleet-search';
import { STATES } from './fleet-search';
import { FleetTable } from './fleet-table';

/** Every service of the org, the worst first. */
export function FleetPage() {
  const search = useSearch({ from: '/shell/' });
  const navigate = useNavigate();
  const fleet = useInfiniteQuery(fleetQuery(search));
  const rows = useMemo(() => sortRows(fleet.data?.pages ?? []), [fleet.data]);
  const first = fleet.data?.pages[0];
  const change = (next: FleetSearch) => void navigate({ to: '/', search: next, replace: true });
  const { loadMore, loadingMore } = useLoadMore(fleet, JSON.stringify(search));
  const filtered = Object.keys(search).length > 0;
  return (
    <>
      <PageHeader
        title="Fleet"
        aside={first ? <FleetCounts counts={first.counts} search={search} onChange={change} /> : null}
      />
      {filtered || rows.length > 0 ? <FleetFilters search={search} onChange={change} rows={rows} /> : null}
      {fleet.isError ? (
        <ErrorPanel
          what="The list of services"
          {...describeFailure(fleet.error)}
          onRetry={() => void fleet.refetch()}
        />
      ) : null}
      {fleet.isPending ? <LoadingList of="services" /> : null}
      <div className={classes.list} data-stale={fleet.isPlaceholderData || undefined}>
        {rows.length > 0 ? <FleetTable rows={rows} total={totalOf(first, search)} /> : null}
        {first && rows.length === 0 ? (
          <FleetEmpty reason={first.empty_reason} onClear={() => change({})} />
        ) : null}
      </div>
      {fleet.hasNextPage ? (
        <div className={classes.more}>
          <Button variant="default" loading={loadingMore} onClick={loadMore}>
            Load more
          </Button>
          <span className={classes.muted}>
            {rows.length} of {totalOf(first, search)} services shown
          </span>
        </div>
      ) : null}
    </>
  );
}

interface Pages {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: (options?: { cancelRefetch: boolean }) => Promise<unknown>;
}

/**
 * Loads one page more. A live event asks for the list anew and so cancels a page under way: what a person has asked for
 * is remembered until it is there. `list` names the filters; another list begins with its first page.
 */
function useLoadMore({ data, hasNextPage, isFetching, isError, fetchNextPage }: Pages, list: string) {
  const [wanted, setWanted] = useState({ list, pages: 1 });
  const loaded = data?.pages.length ?? 0;
  const missing = wanted.list === list && wanted.pages > loaded && hasNextPage;
  useEffect(() => {
    // At every change of anything: a refetch can come and go between two renders. What is under way is left alone.
    if (missing && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false });
  });
  const loadMore = () => {
    setWanted({ list, pages: loaded + 1 });
    // After a failure nothing is asked again by itself; a press is a person asking.
    if (isError) void fetchNextPage();
  };
  return { loadMore, loadingMore: missing && !isError };
}

/** How many services pass the filters, loaded or not. */
function totalOf(page: FleetAnswer | undefined, search: FleetSearch): number {
  if (!page) return 0;
  const { counts } = page;
  if (search.state) return counts[search.state];
  return counts.up + counts.down + counts.silent + counts.waiting;
}

/** The loaded rows by severity, then by name. */
export function sortRows(pages: readonly Pick<FleetAnswer, 'results'>[]): FleetRow[] {
  const bySlug = new Map(pages.flatMap(({ results }) => results.map((row) => [row.slug, row] as const)));
  return [...bySlug.values()].sort(
    (one, other) =>
      STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
      one.name.localeCompare(other.name, undefined, { numeric: true }),
  );
}
