import { describe, expect, it } from 'vitest';
import type { Agent } from '@/api/agents';
import { byTrouble } from './agent-trouble';

const well: Agent = {
  id: '1',
  node: 'a-well',
  version: '0.1.0',
  protocol: 1,
  state: 'up',
  last_seen: '2026-11-21T05:00:00Z',
  clock_offset_seconds: 0.01,
  spool: { bytes: 0, segments: 0, oldest_age_seconds: 0, dropped_samples: 0 },
  key_prefix: 'lla_abc',
  services: [],
  problems: [],
  created_at: '2026-11-20T05:00:00Z',
};

describe('byTrouble', () => {
  it('puts silence first, then what an agent says is wrong, then clocks and losses, then calm ones by name', () => {
    const sorted = byTrouble([
      well,
      { ...well, id: '2', node: 'superseded', state: 'superseded' },
      { ...well, id: '3', node: 'waits', state: 'waiting' },
      { ...well, id: '4', node: 'drifts', clock_offset_seconds: -2.5 },
      { ...well, id: '5', node: 'lost-samples', spool: { ...spool(), dropped_samples: 3 } },
      { ...well, id: '6', node: 'denied', problems: [{ service: 'db', code: 'denied', error: 'No.' }] },
      { ...well, id: '7', node: 'silent', state: 'silent' },
      { ...well, id: '8', node: 'a-better' },
    ]);
    expect(sorted.map(({ node }) => node)).toEqual([
      'silent',
      'denied',
      'lost-samples',
      'drifts',
      'waits',
      'a-better',
      'a-well',
      'superseded',
    ]);
  });
});

function spool() {
  return { bytes: 0, segments: 0, oldest_age_seconds: 0, dropped_samples: 0 };
}
