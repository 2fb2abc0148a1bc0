import { describe, expect, it } from 'vitest';
import { chunksInView, fullestDiskQuery, qpsQuery, readQps } from './fleet-metrics';

describe('the fleet’s questions', () => {
  it('ask once for all services', () => {
    expect(qpsQuery(['a', 'b.c'])).toBe(
      'sum by (service) ((rate(mysql_global_status_questions{service=~"a|b\\\\.c"}[120s]) ' +
        'if count_over_time(mysql_global_status_questions{service=~"a|b\\\\.c"}[120s])))',
    );
  });

  it('ask for the worst disk of each node, never for an average', () => {
    const query = fullestDiskQuery(['db1', 'db2']);
    expect(query).toMatch(/^WITH \(here = \{node=~"db1\|db2",.*\) topk by \(node\) \(1, /);
    expect(query).not.toContain('avg');
    expect(query.match(/node=~"db1\|db2"/g)).toHaveLength(1);
  });
});

describe('readQps', () => {
  function read(...values: (number | null)[]) {
    return readQps([{ labels: { service: 'a' }, times: values.map((_, i) => i), values }]).get('a')?.now;
  }

  it('takes the last number for the present one', () => {
    expect(read(1, 2, 3)).toBe(3);
    expect(read(1, 2, null)).toBe(2);
  });

  it('does not take an old number for the present one', () => {
    expect(read(5, null, null)).toBeNull();
  });
});

describe('chunksInView', () => {
  const rows = Array.from({ length: 120 }, (_, index) => index);

  it('asks for the rows drawn and their neighbours, in chunks that stay the same while one scrolls', () => {
    expect(chunksInView(rows, 0, 30)).toEqual([rows.slice(0, 50)]);
    expect(chunksInView(rows, 12, 44)).toEqual([rows.slice(0, 50)]);
    expect(chunksInView(rows, 45, 110)).toEqual([rows.slice(0, 50), rows.slice(50, 100), rows.slice(100)]);
    expect(chunksInView([], 0, 0)).toEqual([]);
  });

  it('keeps a query below what the store accepts, with the longest names too', () => {
    const names = Array.from({ length: 50 }, (_, index) => String(index).padStart(63, 'x'));
    for (const query of [qpsQuery(names), fullestDiskQuery(names)]) {
      expect(query.length).toBeLessThan(16 * 1024);
    }
  });
});
