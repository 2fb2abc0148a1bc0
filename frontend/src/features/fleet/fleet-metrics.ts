import type { UseQueryOptions } from '@tanstack/react-query';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import type { FleetRow } from '@/api/fleet';
import type { Series } from '@/api/metrics';
import { queryInstant, queryRange } from '@/api/metrics';
import { isOneOf, rate } from '@/charts/metricsql';
import { rateWindow } from '@/time-range/step';

/** Statements per second over the last hour. */
export interface Qps {
  readonly values: readonly (number | null)[];
  /** Null when the latest points are missing: an old number would be taken for the present one. */
  readonly now: number | null;
}

/** The fullest filesystem of a node. Never an average: one full disk stops a database. */
export interface FullestDisk {
  readonly percent: number;
  readonly mountpoint: string;
}

/** Memory is no disk, and images such as snaps are always full and no trouble. */
const WRITABLE = 'fstype!~"tmpfs|ramfs|squashfs|iso9660|erofs"';
const SPAN = 3600;
const STEP = 60;
const REFRESH_MS = 30_000;
/** The youngest point may not be written yet. */
const LATEST_POINTS = 2;

/** One question for many services. */
export function qpsQuery(services: readonly string[]): string {
  const matcher = isOneOf('service', services);
  return `sum by (service) (${rate(`mysql_global_status_questions{${matcher}}`, rateWindow(STEP))})`;
}

/** Used as `df` counts it: of what is not reserved for root. */
export function fullestDiskQuery(nodes: readonly string[]): string {
  const used = '(node_filesystem_size_bytes{here} - node_filesystem_free_bytes{here})';
  const share = `100 * ${used} / (${used} + node_filesystem_avail_bytes{here})`;
  // Named once: the store refuses queries of more than 16 kB.
  return `WITH (here = {${isOneOf('node', nodes)},${WRITABLE}}) topk by (node) (1, ${share})`;
}

/** Reads one line a service. */
export function readQps(answer: readonly Series[]): ReadonlyMap<string, Qps> {
  return new Map(
    answer.map(({ labels, values }) => [labels['service'] ?? '', { values, now: latest(values) }]),
  );
}

function latest(values: readonly (number | null)[]): number | null {
  return values.slice(-LATEST_POINTS).findLast((value) => value !== null) ?? null;
}

/** Rows of which one question is asked: few enough for one query, many enough to scroll through a while. */
const CHUNK = 50;

/** The chunks of the list that hold the rows drawn now, from `first` to `last`. */
export function chunksInView<T>(rows: readonly T[], first: number, last: number): T[][] {
  const chunks: T[][] = [];
  for (let start = Math.floor(first / CHUNK) * CHUNK; start <= last && start < rows.length; start += CHUNK) {
    chunks.push(rows.slice(start, start + CHUNK));
  }
  return chunks;
}

/** Statements per second by service. */
export function useQps(chunks: readonly (readonly FleetRow[])[]): ReadonlyMap<string, Qps> {
  return useQueries({
    queries: chunks.map((rows) => qpsOptions(rows.map((row) => row.slug).sort())),
    combine: merge<Qps>,
  });
}

function qpsOptions(services: readonly string[]): UseQueryOptions<ReadonlyMap<string, Qps>> {
  return {
    queryKey: ['metrics', 'fleet-qps', services],
    queryFn: async ({ signal }) => {
      const end = Date.now() / 1000;
      const query = qpsQuery(services);
      return readQps(await queryRange({ query, start: end - SPAN, end, step: STEP, signal }));
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  };
}

/** The fullest disk by node. */
export function useFullestDisks(chunks: readonly (readonly FleetRow[])[]): ReadonlyMap<string, FullestDisk> {
  return useQueries({
    queries: chunks.map((rows) => disksOptions([...new Set(rows.map((row) => row.node))].sort())),
    combine: merge<FullestDisk>,
  });
}

function disksOptions(nodes: readonly string[]): UseQueryOptions<ReadonlyMap<string, FullestDisk>> {
  return {
    queryKey: ['metrics', 'fleet-disks', nodes],
    queryFn: async ({ signal }) => {
      const answer = await queryInstant({ query: fullestDiskQuery(nodes), signal });
      return new Map(
        answer.map(({ labels, value }) => [
          labels['node'] ?? '',
          { percent: value, mountpoint: labels['mountpoint'] ?? '' },
        ]),
      );
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  };
}

function merge<T>(answers: { data?: ReadonlyMap<string, T> | undefined }[]): ReadonlyMap<string, T> {
  return new Map(answers.flatMap(({ data }) => [...(data ?? [])]));
}
