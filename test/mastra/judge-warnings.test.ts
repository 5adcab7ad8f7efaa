import { ModerationProcessor } from '@mastra/core/processors';
import { Mastra } from '@mastra/core/mastra';
import { expect, it, vi } from 'vitest';
import { guard, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const model = scriptedModel({ steps: [{ text: 'Hello.' }] });

/** The warnings of a Mastra instance while it registers an agent, and the agent's copies. */
const warningsOf = (output: ModerationProcessor | ReturnType<typeof guard>, place: 'mastra' | 'agent' = 'mastra') => {
  const warn = vi.fn<(message: string) => void>();
  const quiet = () => undefined;
  const logger = { warn, debug: quiet, info: quiet, error: quiet, trackException: quiet } as never;
  const config = { id: 'shop', name: 'Shop', instructions: 'Help.', model, outputProcessors: [output] };
  const mastra = new Mastra({ logger, agents: place === 'mastra' ? { shop: new InterlockAgent(config) } : {} });
  const agent = place === 'mastra' ? mastra.getAgent('shop') : new InterlockAgent({ ...config, mastra });
  agent['__fork']();
  return warn.mock.calls.map(([message]) => message).filter((message) => message.includes('guard/'));
};

it.each(['mastra', 'agent'] as const)('a judge of Mastra’s without a window is logged once, from the %s', (place) => {
  const [warning, ...others] = warningsOf(new ModerationProcessor({ model }), place);
  expect(warning).toMatch(/"shop"[^]*judges-each-chunk\] at shop-output-processor\/moderation[^]*passes-on-failure\]/);
  expect(others).toEqual([]);
});

it('a judge with a window that fails closed is not logged', () => {
  const moderation = new ModerationProcessor({ model, errorStrategy: 'strict' });
  expect(warningsOf(guard(moderation, { window: 'sentence' }))).toEqual([]);
});
