import { keepPreviousData, useQuery } from '@tanstack/react-query';
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

/** One question for all rows of a page. */
export function qpsQuery(services: readonly string[]): string {
  const matcher = isOneOf('service', services);
  return `sum by (service) (${rate(`mysql_global_status_questions{${matcher}}`, rateWindow(STEP))})`;
}

/** Used as `df` counts it: of what is not reserved for root. */
export function fullestDiskQuery(nodes: readonly string[]): string {
  const matcher = `${isOneOf('node', nodes)},${WRITABLE}`;
  const size = `node_filesystem_size_bytes{${matcher}}`;
  const free = `node_filesystem_free_bytes{${matcher}}`;
  const available = `node_filesystem_avail_bytes{${matcher}}`;
  return `topk by (node) (1, 100 * (${size} - ${free}) / (${size} - ${free} + ${available}))`;
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

export function useQps(services: readonly string[]): ReadonlyMap<string, Qps> {
  const sorted = [...services].sort();
  const { data } = useQuery({
    queryKey: ['metrics', 'fleet-qps', sorted],
    queryFn: async ({ signal }) => {
      const end = Date.now() / 1000;
      return readQps(
        await queryRange({ query: qpsQuery(sorted), start: end - SPAN, end, step: STEP, signal }),
      );
    },
    enabled: sorted.length > 0,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return data ?? NO_QPS;
}

const NO_QPS: ReadonlyMap<string, Qps> = new Map();

export function useFullestDisks(nodes: readonly string[]): ReadonlyMap<string, FullestDisk> {
  const sorted = [...new Set(nodes)].filter(Boolean).sort();
  const { data } = useQuery({
    queryKey: ['metrics', 'fleet-disks', sorted],
    queryFn: async ({ signal }) => {
      const answer = await queryInstant({ query: fullestDiskQuery(sorted), signal });
      return new Map(
        answer.map(({ labels, value }) => [
          labels['node'] ?? '',
          { percent: value, mountpoint: labels['mountpoint'] ?? '' },
        ]),
      );
    },
    enabled: sorted.length > 0,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return data ?? NO_DISKS;
}

const NO_DISKS: ReadonlyMap<string, FullestDisk> = new Map();
