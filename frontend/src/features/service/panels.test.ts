import { describe, expect, it } from 'vitest';
import type { Series } from '@/api/metrics';
import type { Panel } from './panel';
import { PANEL_IDS } from './panel';
import { PANELS } from './panels';

const TARGET = { service: 'orders"db', node: 'db1' };

function panel(id: string): Panel {
  const found = PANELS.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no panel ${id}`);
  return found;
}

function series(labels: Record<string, string>, ...values: (number | null)[]): Series {
  return { labels, times: values.map((_, index) => index * 5), values };
}

describe('the panels', () => {
  it('are eight, in the order of the page', () => {
    expect(PANELS.map(({ id }) => id)).toEqual([...PANEL_IDS]);
    expect(PANELS).toHaveLength(8);
  });

  it.each(PANELS.map((one) => [one.id, one] as const))(
    '%s filters every selector by service or node, escaped',
    (_id, one) => {
      const query = one.query(TARGET, 40);
      const selectors = query.match(/\{[^}]*\}/g) ?? [];
      expect(selectors.length).toBeGreaterThan(0);
      for (const selector of selectors) {
        expect(selector).toMatch(/^\{(service="orders\\"db"|node="db1")/);
      }
    },
  );

  it.each(PANELS.map((one) => [one.id, one] as const))('%s looks back as far as it is told', (_id, one) => {
    const windows = one.query(TARGET, 40).match(/\[[^\]]*\]/g) ?? [];
    expect(windows.every((window) => window === '[40s]')).toBe(true);
  });

  it.each(PANELS.map((one) => [one.id, one] as const))(
    '%s says how to read it in one sentence',
    (_id, one) => {
      expect(one.howToRead).toMatch(/^[A-Z].*[^.]\.$/s);
      expect(one.howToRead.match(/\.(\s|$)/g)).toHaveLength(1);
    },
  );

  it('name a line for every query of a union, in the palette', () => {
    for (const one of PANELS.filter(({ id }) => id !== 'disk-space')) {
      const lines = [...one.query(TARGET, 40).matchAll(/"line", "([^"]+)"/g)].map(([, line]) => line ?? '');
      const shown = one.toSeries(lines.map((line) => series({ line }, 1)));
      expect(shown.map(({ id }) => id).sort()).toEqual([...lines].sort());
      for (const { id, kind } of shown) {
        expect(kind === 'limit' || id in one.colours, `${one.id} ${id}`).toBe(true);
      }
    }
  });
});

describe('statements', () => {
  const query = panel('statements').query(TARGET, 40);

  it('count no kind twice', () => {
    const matchers = new Set([...query.matchAll(/command=~"([^"]+)"/g)].map(([, words]) => words ?? ''));
    const words = [...matchers].flatMap((matcher) => matcher.split('|'));
    expect(new Set(words).size).toBe(words.length);
    const other = /command!~"([^"]+)"/.exec(query)?.[1]?.split('|') ?? [];
    expect(words.filter((word) => !other.includes(word))).toEqual([]);
    expect(other).toContain('stmt_.+');
  });
});

describe('disk space', () => {
  const { toSeries } = panel('disk-space');

  it('puts the fullest first, whatever the order of the answer', () => {
    const shown = toSeries([
      series({ mountpoint: '/', device: '/dev/a' }, 10, 12),
      series({ mountpoint: '/var', device: '/dev/b' }, 90, 95),
      series({ mountpoint: '/gone', device: '/dev/c' }, null, null),
    ]);
    expect(shown.map(({ label }) => label)).toEqual(['/var', '/', '/gone']);
  });

  it('shows a filesystem that is mounted twice once', () => {
    const shown = toSeries([
      series({ mountpoint: '/var/lib/mysql/bind', device: '/dev/b' }, 95),
      series({ mountpoint: '/var', device: '/dev/b' }, 95),
      series({ mountpoint: '/x', device: 'overlay' }, 20),
      series({ mountpoint: '/y', device: 'overlay' }, 30),
    ]);
    expect(shown.map(({ label }) => label)).toEqual(['/var', '/y', '/x']);
  });
});

describe('load', () => {
  it('keeps threads and CPUs apart by their units', () => {
    const shown = panel('load').toSeries([series({ line: 'cpus' }, 8), series({ line: 'running' }, 3)]);
    expect(shown.map(({ id, kind, unit }) => [id, kind, unit])).toEqual([
      ['running', 'line', 'suffix:threads'],
      ['cpus', 'limit', 'suffix:CPUs'],
    ]);
  });
});
