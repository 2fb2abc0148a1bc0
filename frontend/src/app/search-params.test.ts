import { describe, expect, it } from 'vitest';
import { parseSearch, safeNext, stringifySearch, unknownNames } from './search-params';

describe('search params', () => {
  it('keep what a person typed as plain text', () => {
    expect(parseSearch('?from=now-6h&to=now&q=12')).toEqual({ from: 'now-6h', to: 'now', q: '12' });
  });

  it('come back as they went', () => {
    const search = { q: 'a&b=c d', cmp: 'custom:1,2', from: '2026-11-20 14:00' };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it('leave defaults out and stay readable', () => {
    expect(stringifySearch({ q: '', sort: undefined })).toBe('');
    expect(stringifySearch({ cmp: 'custom:1,2' })).toBe('?cmp=custom:1,2');
  });

  it('name what a page does not know', () => {
    expect(unknownNames({ q: 'x', foo: '1', sort: 'bad' }, { q: 'x', sort: undefined })).toEqual([
      'foo',
      'sort',
    ]);
  });
});

describe('safeNext', () => {
  it.each(['/', '/services/a?from=now-1h', '/settings/agents'])('lets %s through', (path) => {
    expect(safeNext(path)).toBe(path);
  });

  it.each(['https://elsewhere.example', '//elsewhere.example', '/\\elsewhere.example', 'x', '/sign-in', 7])(
    'refuses %s',
    (path) => {
      expect(safeNext(path)).toBeUndefined();
    },
  );
});
