import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
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
          <Button
            variant="default"
            loading={fleet.isFetchingNextPage}
            onClick={() => void fleet.fetchNextPage()}
          >
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
      STATES.indexOf(one.state) - STATES.indexOf(other.state) || one.name.localeCompare(other.name),
  );
}
