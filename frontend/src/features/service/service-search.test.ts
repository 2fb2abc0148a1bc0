import { describe, expect, it } from 'vitest';
import { hiddenOf, validateServiceSearch, withHidden } from './service-search';

describe('validateServiceSearch', () => {
  it('keeps what the page knows and drops the rest', () => {
    expect(
      validateServiceSearch({
        from: 'now-6h',
        to: 'later',
        tz: 'utc',
        panel: 'load',
        hidden: 'load.busy',
        edit: '1',
        tab: '3',
      }),
    ).toEqual({ from: 'now-6h', tz: 'utc', panel: 'load', hidden: 'load.busy', edit: '1' });
    expect(validateServiceSearch({ panel: 'weather', edit: 'yes' })).toEqual({});
  });
});

describe('hidden lines', () => {
  it('survive the address, mount points with commas and percent signs too', () => {
    const lines = new Set(['/var/lib', '/a,b', '/100%']);
    const search = withHidden({ hidden: 'load.busy' }, 'disk-space', lines);
    expect(search.hidden).toBe('load.busy,disk-space./100%25,disk-space./a%2Cb,disk-space./var/lib');
    expect(hiddenOf(search, 'disk-space')).toEqual(lines);
    expect(hiddenOf(search, 'load')).toEqual(new Set(['busy']));
    expect(hiddenOf({ hidden: 'disk-space./50%' }, 'disk-space')).toEqual(new Set(['/50%']));
  });

  it('leave the address when none is left', () => {
    expect(withHidden({ hidden: 'load.busy', tz: 'utc' }, 'load', new Set())).toEqual({ tz: 'utc' });
  });
});
