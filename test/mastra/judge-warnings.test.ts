import { ModerationProcessor, type Processor } from '@mastra/core/processors';
import { Mastra } from '@mastra/core/mastra';
import { expect, it, vi } from 'vitest';
import { defineProcessor, guard, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const model = scriptedModel({ steps: [{ text: 'Hello.' }] });

/** The warnings of a Mastra instance while it registers an agent, and the agent's copies. */
const warningsOf = (output: Processor, place: 'mastra' | 'agent' = 'mastra') => {
  const warn = vi.fn<(message: string) => void>();
  const quiet = () => undefined;
  const logger = { warn, debug: quiet, info: quiet, error: quiet, trackException: quiet } as never;
  const config = { id: 'shop', name: 'Shop', instructions: 'Help.', model, outputProcessors: [output] };
  const mastra = new Mastra({ logger, agents: place === 'mastra' ? { shop: new InterlockAgent(config) } : {} });
  const agent = place === 'mastra' ? mastra.getAgent('shop') : new InterlockAgent({ ...config, mastra });
  agent['__fork']();
  return warn.mock.calls.map(([message]) => message).filter((message) => message.includes('guard/'));
};

/** An author's judge of single chunks, which passes what it cannot judge. */
const judge = defineProcessor({
  id: 'judge',
  traits: { judgesEachChunk: true, passesOnFailure: true },
  processOutputStream: async ({ part }) => part,
});

it.each(['mastra', 'agent'] as const)('a judge of single chunks that hides its failures is logged once, from the %s', (place) => {
  const [warning, ...others] = warningsOf(guard(judge, { window: 'delta' }), place);
  expect(warning).toMatch(/"shop"[^]*judges-each-chunk\] at shop-output-processor\/judge[^]*passes-on-failure\]/);
  expect(others).toEqual([]);
});

it("Mastra's judges are not logged: they get a window, and their failures are visible", () => {
  expect(warningsOf(new ModerationProcessor({ model }))).toEqual([]);
});
