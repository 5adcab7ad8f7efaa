import { afterAll, beforeAll, describe } from 'vitest';

import type { Engine } from '../../src/engine.js';
import { operations } from '../durable/operations-suite.js';
import { rejections } from '../durable/rejections-suite.js';
import { priorities, runQueues } from '../durable/run-queue-suite.js';
import { engineOf } from './engine-spec.js';
import { sites, type Site } from './sites.js';

describe.each(['restate', 'dbos'] as const)('operating %s', (name) => {
  let site: Site;
  let engine: Engine;
  beforeAll(async () => {
    site = await sites[name]();
    engine = engineOf(site.specFor('tests'));
  });
  afterAll(async () => {
    await engine.close();
    await site.close();
  });
  operations({ engine: () => engine });
  rejections({ engine: () => engine });
  runQueues({ engine: () => engine, startMs: 5_000 });
  if (name === 'dbos') priorities({ engine: () => engine }); // on Restate, see invocation-limit.test.ts
});
