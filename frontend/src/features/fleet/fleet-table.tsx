import { Link } from '@tanstack/react-router';
import { memo, useMemo } from 'react';
import type { FleetRow } from '@/api/fleet';
import { Sparkline } from '@/charts/sparkline';
import { RelativeTime } from '@/ui/relative-time';
import { useShortcut } from '@/ui/shortcuts';
import { StatusMark } from '@/ui/status-mark';
import { formatValue, NO_VALUE } from '@/units/units';
import type { FullestDisk, Qps } from './fleet-metrics';
import { chunksInView, useFullestDisks, useQps } from './fleet-metrics';
import classes from './fleet-page.module.css';
import { useRowsInView } from './rows-in-view';

export interface FleetTableProps {
  readonly rows: readonly FleetRow[];
  /** Rows that pass the filters, loaded or not. */
  readonly total: number;
}

/** A row a service; cards on a phone. `j` and `k` move between the services, Enter opens one. */
export function FleetTable({ rows, total }: FleetTableProps) {
  const { body, items, before, after, measure, focusRow } = useRowsInView(rows);
  const first = items[0] ?? 0;
  const last = items.at(-1) ?? 0;
  const chunks = useMemo(() => chunksInView(rows, first, last), [rows, first, last]);
  const qps = useQps(chunks);
  const disks = useFullestDisks(chunks);
  useShortcut('j', 'Next service', () => focusRow(1));
  useShortcut('k', 'Previous service', () => focusRow(-1));
  return (
    <div className={classes.box}>
      <table className={classes.table} aria-rowcount={total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Spacer height={before} />
          {items.map((index) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <Row
                key={row.slug}
                row={row}
                index={index}
                measure={measure}
                qps={qps.get(row.slug)}
                disk={disks.get(row.node)}
              />
            );
          })}
          <Spacer height={after} />
        </tbody>
      </table>
    </div>
  );
}

const COLUMNS = ['State', 'Service', 'Engine', 'Node', 'Statements, last hour', 'Fullest disk', 'Last seen'];

/** Stands for the rows that are out of sight. */
function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className={classes.spacer} aria-hidden>
      <td colSpan={COLUMNS.length} style={{ height }} />
    </tr>
  );
}

interface RowProps {
  readonly row: FleetRow;
  /** From 0. */
  readonly index: number;
  readonly measure: (row: HTMLTableRowElement | null) => void;
  readonly qps: Qps | undefined;
  readonly disk: FullestDisk | undefined;
}

const Row = memo(function Row({ row, index, measure, qps, disk }: RowProps) {
  const place = [row.environment, row.cluster].filter(Boolean).join(' · ');
  return (
    <tr ref={measure} aria-rowindex={index + 2} data-index={index} data-state={row.state}>
      <td className={classes.state}>
        <StatusMark state={row.state} />
        {row.reason ? <div className={classes.reason}>{row.reason}</div> : null}
      </td>
      <td className={classes.service}>
        <Link to="/services/$slug" params={{ slug: row.slug }} className={classes.name} data-service>
          {row.name || row.slug}
        </Link>
        {row.name && row.name !== row.slug ? <div className={classes.slug}>{row.slug}</div> : null}
      </td>
      <td data-label="Engine" className={classes.engine}>
        <span>{row.engine}</span>
        {row.version ? <div className={classes.muted}>{shortVersion(row.version)}</div> : null}
      </td>
      <td data-label="Node">
        <span className={classes.wrap}>{row.node || '–'}</span>
        {place ? <div className={classes.muted}>{place}</div> : null}
      </td>
      <td data-label="Statements">
        <QpsCell row={row} qps={qps} />
      </td>
      <td data-label="Fullest disk">
        <DiskCell disk={disk} />
      </td>
      <td data-label="Last seen" className={classes.seen}>
        {row.last_seen ? <RelativeTime at={row.last_seen} /> : <span className={classes.muted}>never</span>}
      </td>
    </tr>
  );
});

/** `10.11.11-MariaDB-0+deb12u1` is `10.11.11`; the service page has all of it. */
function shortVersion(version: string): string {
  return version.split('-')[0] ?? version;
}

function QpsCell({ row, qps }: { row: FleetRow; qps: Qps | undefined }) {
  if (!qps) {
    return (
      <span className={classes.muted} title="No statements were counted in the last hour.">
        no data
      </span>
    );
  }
  // A rate outlives its last sample by a minute or two: of a service that is not up it is the past.
  const now = formatValue(row.state === 'up' ? qps.now : null, 'ops');
  return (
    <span className={classes.qps}>
      <Sparkline
        values={qps.values}
        label={`Statements per second of ${row.name || row.slug} over the last hour, now ${now}`}
      />
      <span
        className={classes.figure}
        title={now === NO_VALUE ? 'The latest points are missing.' : undefined}
      >
        {now}
      </span>
    </span>
  );
}

/** From here on a disk is worth a look, and from here on it is urgent: percent used. */
const DISK_WARN = 80;
const DISK_BAD = 92;

function DiskCell({ disk }: { disk: FullestDisk | undefined }) {
  if (!disk) {
    return (
      <span className={classes.muted} title="The node's agent reports no disk.">
        no data
      </span>
    );
  }
  const level = disk.percent >= DISK_BAD ? 'bad' : disk.percent >= DISK_WARN ? 'warn' : 'ok';
  const used = formatValue(disk.percent, 'percent');
  return (
    <span
      className={classes.disk}
      title={`${disk.mountpoint} is ${used} used; every other disk of the node less.`}
    >
      <span className={classes.bar} data-level={level} aria-hidden>
        <span style={{ width: `${Math.min(100, disk.percent)}%` }} />
      </span>
      <span className={classes.figure} data-level={level}>
        {used}
      </span>
      <span className={classes.mount}>{disk.mountpoint}</span>
    </span>
  );
}
