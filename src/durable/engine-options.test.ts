import { describe, expect, it } from 'vitest';

import { dbos, type DbosOptions } from './dbos/index.js';
import { openWorkflow } from './openworkflow/index.js';
import { restate, type RestateOptions } from './restate/index.js';

const refusal = (path: string) => expect.objectContaining({ code: 'durable/invalid-option', path });
const ingressUrl = 'http://127.0.0.1:8080';
const file = 'runs.db';
const systemDatabaseUrl = 'postgresql://127.0.0.1:5432/runs';

describe('engine options', () => {
  it.each([dbos, openWorkflow, restate])('%o rejects options that are no object', (make) => {
    for (const options of [undefined, null, 'runs']) expect(() => make(options as never)).toThrowError(refusal('options'));
  });

  it.each([
    ['ingressUrl', {}],
    ['ingressUrl', { ingressUrl: '127.0.0.1:8080' }],
    ['adminUrl', { ingressUrl, listen: { port: 9_080 }, adminUrl: 'admin' }],
    ['adminUrl', { ingressUrl, adminUrl: ingressUrl }],
    ['serviceUrl', { ingressUrl, serviceUrl: 'ftp://127.0.0.1' }],
    ['listen.port', { ingressUrl, listen: { port: 0 } }],
    ['listen.port', { ingressUrl, listen: { port: 65_536 } }],
    ['retentionMs', { ingressUrl, retentionMs: -1 }],
    ['stepTimeoutMs', { ingressUrl, stepTimeoutMs: 999 }],
    ['maxDeaths', { ingressUrl, maxDeaths: 0 }],
    ['patienceMs', { ingressUrl, patienceMs: 0.5 }],
    ['patienceMs', { ingressUrl, patienceMs: 2 ** 31 }],
  ])('restate rejects %s of %j', (path, options) => {
    expect(() => restate(options as RestateOptions)).toThrowError(refusal(path));
  });

  it.each([
    ['systemDatabaseUrl', {}],
    ['systemDatabaseUrl', { systemDatabaseUrl: 'mysql://127.0.0.1/runs' }],
    ['systemDatabaseUrl', { systemDatabaseUrl: 'postgresql://app@127.0.0.1:5432/' }],
    ['systemDatabaseUrl', { systemDatabaseUrl: 'postgresql://app@127.0.0.1:5432' }],
    ['name', { systemDatabaseUrl, name: '' }],
    ['leaseMs', { systemDatabaseUrl, leaseMs: 999 }],
    ['maxDeaths', { systemDatabaseUrl, maxDeaths: 0 }],
    ['patienceMs', { systemDatabaseUrl, patienceMs: -1 }],
    ['patienceMs', { systemDatabaseUrl, patienceMs: 2 ** 31 }],
    ['leaseMs', { systemDatabaseUrl, leaseMs: 2 ** 31 }],
  ])('dbos rejects %s of %j', (path, options) => {
    expect(() => dbos(options as DbosOptions)).toThrowError(refusal(path));
  });

  it.each([
    ['path', { path: '' }],
    ['concurrency', { path: file, concurrency: 0 }],
    ['leaseMs', { path: file, leaseMs: 999 }],
    ['leaseMs', { path: file, leaseMs: 2 ** 31 }],
    ['maxDeaths', { path: file, maxDeaths: 0 }],
  ])('openWorkflow rejects %s of %j', (name, options) => {
    expect(() => openWorkflow(options)).toThrowError(refusal(name));
  });

  it.each([
    ['restate', () => restate({ ingressUrl: 'no', patienceMs: -1, adminUrl: ingressUrl, maxdeaths: 3 } as RestateOptions)],
    ['dbos', () => dbos({ systemDatabaseUrl: 'no', patienceMs: -1, name: '', maxdeaths: 3 } as DbosOptions)],
    ['openWorkflow', () => openWorkflow({ path: 1, leaseMs: -1, concurrency: 0.5, maxdeaths: 3 } as never)],
  ])('%s names all faults in one error, also an unknown option', (_name, make) => {
    expect(make).toThrowError(expect.objectContaining({ code: 'durable/invalid-option' }));
    for (const fault of [
      /(Url|path): it must be/,
      /(patienceMs|leaseMs): it must be/,
      /(adminUrl|name|concurrency): it/,
      /did you mean maxDeaths/,
    ])
      expect(make).toThrowError(fault);
  });

  it('dbos rejects a second engine in the process, until the first one is closed', async () => {
    const one = dbos({ systemDatabaseUrl });
    expect(() => dbos({ systemDatabaseUrl })).toThrowError(refusal('durability'));
    await one.close();
    await dbos({ systemDatabaseUrl }).close();
  });

  it('restate reports an unreachable server, and closes', async () => {
    const engine = restate({ ingressUrl: 'http://127.0.0.1:1', patienceMs: 0 });
    const runs = engine.host({ id: 'nobody', run: async () => '' });
    const unreachable = { code: 'durable/unreachable', path: 'ingressUrl' };
    await expect(runs.start({ runId: 'one', input: '' })).rejects.toMatchObject(unreachable);
    await expect(runs.find('one')).rejects.toMatchObject(unreachable);
    await expect(runs.cancel('one')).rejects.toMatchObject(unreachable);
    await expect(runs.board?.read('one', 0)).rejects.toMatchObject(unreachable);
    await expect(runs.board?.marked('one', 'life')).rejects.toMatchObject(unreachable);
    await expect(runs.board?.pinned()).rejects.toMatchObject(unreachable);
    expect([runs.retry, runs.journal, runs.list]).toEqual([undefined, undefined, undefined]); // they need the admin API
    await engine.close();
  });
});
