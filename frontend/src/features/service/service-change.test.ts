import { describe, expect, it } from 'vitest';
import { changeOf, formOf, relabelled } from './service-change';
import { service } from './service-fixture';

describe('changeOf', () => {
  it('sends nothing when nothing was changed', () => {
    expect(changeOf(service, formOf(service))).toEqual({});
    expect(changeOf(service, { ...formOf(service), name: ' Orders ' })).toEqual({});
  });

  it('sends what was changed and no more', () => {
    expect(
      changeOf(service, { ...formOf(service), owner: '', tags: ['gold', 'eu'], tls: 'required' }),
    ).toEqual({
      owner: '',
      tags: ['gold', 'eu'],
      tls: 'required',
    });
  });

  it('keeps the password unless one is typed; the agent’s own is an empty one', () => {
    const form = formOf(service);
    expect(changeOf(service, { ...form, password: ' secret ' })).toEqual({ password: ' secret ' });
    expect(changeOf(service, { ...form, password: 'typed before', agentPassword: true })).toEqual({
      password: '',
    });
  });
});

describe('relabelled', () => {
  it('names the changes that begin new series', () => {
    expect(relabelled({ name: 'x', environment: 'staging', replication_set: 'a' })).toEqual([
      'environment',
      'replication set',
    ]);
    expect(relabelled({ name: 'x', address: 'y:1' })).toEqual([]);
  });
});
