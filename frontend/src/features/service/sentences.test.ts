import { describe, expect, it } from 'vitest';
import { DEFAULT_TIME } from '@/time-range/range';
import { emptyReason } from './empty-reason';
import { service } from './service-fixture';
import { thresholdText } from './slow-threshold';
import { plotWidth } from './use-grid-width';
import { lastDataRange } from './use-shown-time';
import { verdictText } from './verdict';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0) / 1000;
const WINDOW = { start: NOW - 3600, end: NOW, step: 15 };

describe('verdictText', () => {
  it.each([
    [{ state: 'up' }, 'The agent on db1 reaches it.'],
    [{ state: 'down', reason: 'Access denied for user leadline' }, 'Access denied for user leadline.'],
    // A statement to copy keeps its own end.
    [{ state: 'up', reason: 'Run GRANT PROCESS ON *.* TO x;' }, 'Run GRANT PROCESS ON *.* TO x;'],
    [{ state: 'down' }, 'The agent on db1 does not reach it.'],
    [{ state: 'waiting', last_seen: null }, 'Waiting for the first report of the agent on db1.'],
  ] as const)('%j', (part, text) => {
    expect(verdictText({ ...service, ...part }, NOW)).toBe(text);
  });

  it('says since when the agent is silent, and that this is no verdict on the database', () => {
    const text = verdictText({ ...service, state: 'silent', last_seen: '2026-11-21T11:30:00Z' }, NOW);
    expect(text).toMatch(/not been heard of since 2026-11-21 .*\(30 min ago\)/);
    expect(text).toMatch(/Whether the database is up is not known\.$/);
  });
});

describe('emptyReason', () => {
  const service_ = { source: 'service', id: 'load' } as const;

  it.each([
    [service_, { last_seen: null }, /has not reported this service/],
    [service_, { last_seen: '2026-11-21T09:00:00Z' }, /not been heard of since 2026-11-21 09:00, before/],
    [service_, { created_at: '2026-11-21T13:00:00Z' }, /was added on 2026-11-21 13:00, after/],
    [service_, {}, /only while the database answers/],
    [{ source: 'node', id: 'disk-io' }, {}, /agent on db1 sent no figures of this kind about its host/],
    [{ source: 'service', id: 'buffer-pool' }, {}, /there is no ratio/],
  ] as const)('%j %j', (panel, part, reason) => {
    expect(emptyReason(panel, { ...service, ...part }, WINDOW, 'utc')).toMatch(reason);
  });
});

describe('lastDataRange', () => {
  it('ends with the last sign of life where the live window would be empty', () => {
    const range = lastDataRange(DEFAULT_TIME, NOW - 86_400, NOW);
    expect(range.from).toEqual({ kind: 'absolute', seconds: NOW - 86_400 - 3600 });
    expect(range.to).toEqual({ kind: 'absolute', seconds: NOW - 86_400 });
  });

  it('leaves the live window alone while it still shows data', () => {
    expect(lastDataRange(DEFAULT_TIME, NOW - 600, NOW)).toBe(DEFAULT_TIME);
  });
});

describe('thresholdText', () => {
  it.each([
    [undefined, ''],
    [0, 'Every statement counts as slow: long_query_time is 0.'],
    [10, 'Slow means longer than 10 s (long_query_time).'],
    [0.25, 'Slow means longer than 250 ms (long_query_time).'],
  ])('%s', (seconds, text) => {
    expect(thresholdText(seconds)).toBe(text);
  });
});

describe('plotWidth', () => {
  it('follows the columns of the grid', () => {
    expect(plotWidth(346, false)).toBe(230);
    expect(plotWidth(974, false)).toBe(364);
    expect(plotWidth(973, false)).toBe(857);
    expect(plotWidth(974, true)).toBe(858);
  });
});
