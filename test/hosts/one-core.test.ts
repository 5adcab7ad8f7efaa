import { createRequire } from 'node:module';

import { expect, it } from 'vitest';

const here = createRequire(import.meta.url);

it.each(['@mastra/hono', '@mastra/client-js', '@mastra/ai-sdk'])('%s and the library use one copy of @mastra/core', (name) => {
  const ours = createRequire(here.resolve('../../package.json')).resolve('@mastra/core');
  expect(createRequire(here.resolve(name)).resolve('@mastra/core')).toBe(ours);
});
