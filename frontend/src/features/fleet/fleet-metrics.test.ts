import { describe, expect, it } from 'vitest';
import { fullestDiskQuery, qpsQuery, readQps } from './fleet-metrics';

describe('the fleet’s questions', () => {
  it('ask once for all services', () => {
    expect(qpsQuery(['a', 'b.c'])).toBe(
      'sum by (service) ((rate(mysql_global_status_questions{service=~"a|b\\\\.c"}[120s]) ' +
        'if count_over_time(mysql_global_status_questions{service=~"a|b\\\\.c"}[120s])))',
    );
  });

  it('ask for the worst disk of each node, never for an average', () => {
    const query = fullestDiskQuery(['db1', 'db2']);
    expect(query).toMatch(/^topk by \(node\) \(1, /);
    expect(query).not.toContain('avg');
    expect(query.match(/node=~"db1\|db2"/g)).toHaveLength(5);
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
