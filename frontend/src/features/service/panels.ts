import type { Series } from '@/api/metrics';
import type { ChartSeries } from '@/charts/chart-data';
import { equals, rate } from '@/charts/metricsql';
import type { Panel } from './panel';
import { named, ofService, rateOfCommands, rateOfService, union } from './panel';

const KINDS = {
  select: 'select',
  insert: 'insert|insert_select|replace|replace_select|load',
  update: 'update|update_multi',
  delete: 'delete|delete_multi|truncate',
  transaction: 'begin|commit|rollback|savepoint|release_savepoint|rollback_to_savepoint|xa_.+',
} as const;
/** Executing a prepared statement also counts as what it does; counting both would show it twice. */
const NOT_STATEMENTS = 'stmt_.+|execute_sql|prepare_sql|dealloc_sql';

const LOAD: Panel = {
  id: 'load',
  title: 'Load',
  howToRead:
    'Threads running is how many statements run at once; above the number of CPUs they wait for each other.',
  unit: 'suffix:threads, CPUs',
  yAxis: { from: 'zero' },
  colours: { running: 0, busy: 1 },
  source: 'service',
  query: (target, back) => {
    const cpu = `node_cpu_seconds_total{${equals('node', target.node)}`;
    return union({
      running: ofService('status_threads_running', target),
      busy: `sum(max by (cpu, mode) (${rate(`${cpu},mode!~"idle|iowait|steal|guest.*"}`, back)}))`,
      cpus: `count(count by (cpu) (${cpu}}))`,
    });
  },
  toSeries: named([
    { id: 'running', label: 'Threads running', unit: 'suffix:threads' },
    { id: 'busy', label: 'CPUs busy on the node', unit: 'suffix:CPUs' },
    { id: 'cpus', label: 'CPUs of the node', kind: 'limit', unit: 'suffix:CPUs' },
  ]),
};

const STATEMENTS: Panel = {
  id: 'statements',
  title: 'Statements',
  howToRead: 'Statements per second that clients sent, by kind; a drop to nothing is as telling as a peak.',
  unit: 'ops',
  yAxis: { from: 'zero' },
  colours: { all: 7, select: 0, insert: 2, update: 1, delete: 3, transaction: 6, other: 4 },
  source: 'service',
  query: (target, back) => {
    const kind = (name: keyof typeof KINDS) => rateOfCommands(target, back, `command=~"${KINDS[name]}"`);
    const known = [...Object.values(KINDS), NOT_STATEMENTS].join('|');
    return union({
      all: rateOfService('questions', target, back),
      select: kind('select'),
      insert: kind('insert'),
      update: kind('update'),
      delete: kind('delete'),
      transaction: kind('transaction'),
      other: rateOfCommands(target, back, `command!~"${known}"`),
    });
  },
  toSeries: named([
    { id: 'all', label: 'All (Questions)' },
    { id: 'select', label: 'Select' },
    { id: 'insert', label: 'Insert, replace' },
    { id: 'update', label: 'Update' },
    { id: 'delete', label: 'Delete' },
    { id: 'transaction', label: 'Begin, commit, rollback' },
    { id: 'other', label: 'Other' },
  ]),
};

const SLOW: Panel = {
  id: 'slow',
  title: 'Slow statements',
  howToRead:
    'Statements per second that took longer than long_query_time; the threshold decides what this shows.',
  unit: 'ops',
  yAxis: { from: 'zero' },
  colours: { slow: 1 },
  source: 'service',
  query: (target, back) => union({ slow: rateOfService('slow_queries', target, back) }),
  toSeries: named([{ id: 'slow', label: 'Slow statements' }]),
};

const CONNECTIONS: Panel = {
  id: 'connections',
  title: 'Connections',
  howToRead: 'Open connections against the most the server accepts; at the limit new clients are refused.',
  unit: 'suffix:connections',
  yAxis: { from: 'zero' },
  colours: { connected: 0 },
  source: 'service',
  query: (target) =>
    union({
      connected: ofService('status_threads_connected', target),
      limit: ofService('variables_max_connections', target),
    }),
  toSeries: named([
    { id: 'connected', label: 'Connected' },
    { id: 'limit', label: 'max_connections', kind: 'limit' },
  ]),
};

const ERRORS: Panel = {
  id: 'errors',
  title: 'Connection errors',
  howToRead:
    'Connections per second that failed: refused at login, cut off without goodbye, turned away at the limit, or broken inside the server.',
  unit: 'ops',
  yAxis: { from: 'zero' },
  colours: { refused: 1, 'cut-off': 3, limit: 4, internal: 6 },
  source: 'service',
  query: (target, back) => {
    const errors = `mysql_global_status_connection_errors_total{${equals('service', target.service)}`;
    return union({
      refused: rateOfService('aborted_connects', target, back),
      'cut-off': rateOfService('aborted_clients', target, back),
      limit: `max(${rate(`${errors},error="max_connections"}`, back)})`,
      internal: `sum(max by (error) (${rate(`${errors},error!="max_connections"}`, back)}))`,
    });
  },
  toSeries: named([
    { id: 'refused', label: 'Failed to connect' },
    { id: 'cut-off', label: 'Cut off' },
    { id: 'limit', label: 'Over max_connections' },
    { id: 'internal', label: 'Server errors' },
  ]),
};

const BUFFER_POOL: Panel = {
  id: 'buffer-pool',
  title: 'Buffer pool hits',
  howToRead:
    'Page reads that the InnoDB buffer pool answered without the disk; a gap means that nothing was read, a fall means that the working set no longer fits.',
  unit: 'percent',
  yAxis: { from: 'data', top: 100 },
  colours: { hits: 2 },
  source: 'service',
  query: (target, back) => {
    const reads = rateOfService('innodb_buffer_pool_reads', target, back);
    const requests = rateOfService('innodb_buffer_pool_read_requests', target, back);
    return union({ hits: `clamp_min(100 * (1 - ${reads} / (${requests} > 0)), 0)` });
  },
  toSeries: named([{ id: 'hits', label: 'Hit ratio' }]),
};

const DISK_IO: Panel = {
  id: 'disk-io',
  title: 'Disk I/O of the node',
  howToRead:
    'Bytes per second that all disks of the node read and wrote, for this service and everything else there.',
  unit: 'binBps',
  yAxis: { from: 'zero' },
  colours: { read: 0, written: 1 },
  source: 'node',
  query: ({ node }, back) => {
    // Device mapper and RAID lie on disks that are counted themselves.
    const disks = `${equals('node', node)},device!~"dm-.+|md.+|loop.+|ram.+|zram.+|sr.+"`;
    const bytes = (name: string) =>
      `sum(max by (device) (${rate(`node_disk_${name}_bytes_total{${disks}}`, back)}))`;
    return union({ read: bytes('read'), written: bytes('written') });
  },
  toSeries: named([
    { id: 'read', label: 'Read' },
    { id: 'written', label: 'Written' },
  ]),
};

/** More lines than these cannot be told apart; the fullest ones matter. */
const MOST_DISKS = 8;

const DISK_SPACE: Panel = {
  id: 'disk-space',
  title: 'Disk space of the node',
  howToRead: `Used part of each filesystem as df counts it, the fullest first, at most ${MOST_DISKS}; one full disk stops a database.`,
  unit: 'percent',
  yAxis: { from: 'zero', top: 100 },
  colours: {},
  source: 'node',
  query: ({ node }) => {
    const where = `{${equals('node', node)},fstype!~"tmpfs|ramfs|squashfs|iso9660|erofs"}`;
    const used = `(node_filesystem_size_bytes${where} - node_filesystem_free_bytes${where})`;
    const share = `100 * ${used} / (${used} + node_filesystem_avail_bytes${where})`;
    return `topk_last(${MOST_DISKS}, max by (mountpoint, device) (${share}))`;
  },
  toSeries: worstDisksFirst,
};

/** A line a mount point, the fullest first; a filesystem mounted twice is one line, under its shortest path. */
function worstDisksFirst(answer: readonly Series[]): ChartSeries[] {
  const lines = answer
    .map(({ labels, values }) => ({
      id: labels['mountpoint'] ?? '',
      device: labels['device'] ?? '',
      values,
      last: values.findLast((value) => value !== null) ?? -1,
    }))
    .sort((one, other) => one.id.length - other.id.length || one.id.localeCompare(other.id));
  const seen = new Set<string>();
  const distinct = lines.filter(({ device, last }) => {
    // Container layers share the word 'overlay' without being one disk: the level tells them apart.
    const identity = `${device} ${last}`;
    return !seen.has(identity) && seen.add(identity);
  });
  return distinct
    .sort((one, other) => other.last - one.last)
    .map(({ id, values }) => ({ id, label: id, kind: 'line', values }));
}

/** In the order of the page, which never changes. */
export const PANELS: readonly Panel[] = [
  LOAD,
  STATEMENTS,
  SLOW,
  CONNECTIONS,
  ERRORS,
  BUFFER_POOL,
  DISK_IO,
  DISK_SPACE,
];
