import { setTimeout as wait } from 'node:timers/promises';

import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import {
  guard,
  InterlockAgent,
  phases,
  pipeline,
  type GuardPolicy,
  type InterlockAgentConfig,
  type Phase,
  type PipelineStep,
} from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import type { HookArgs } from '../promises/support.js';
import type { Fate } from './fate.js';

/** A run's entry in its request context: its fate, and the guards that have already acted. */
export interface Life {
  readonly fate: Fate;
  readonly done: Set<string>;
}

export const lifeKey = 'life';

interface Context {
  get(key: string): unknown;
}

const lifeIn = (context: unknown): Life => (context as Context).get(lifeKey) as Life; // set by the soak

const never = (): Promise<never> => new Promise(() => undefined);

type Args = HookArgs & { readonly requestContext: unknown };

const acts: Record<NonNullable<Fate['guards'][Phase]>, (args: Args) => unknown> = {
  trip: ({ abort }) => abort('no', { metadata: { why: 1 } }),
  retry: ({ abort }) => abort('again', { retry: true }),
  throw: () => {
    throw new Error('The guard is out of order.');
  },
  hang: never,
  edit: ({ part, messageList, stepNumber }) => {
    if (part) return part.type === 'text-delta' ? null : part;
    if (stepNumber === undefined) return undefined;
    messageList.addSystem('Be brief.');
    return undefined;
  },
  slow: async ({ part }) => {
    await wait(1);
    return part;
  },
  // Answers, and continues: later actions must have no effect.
  'go-on': ({ part, writer }) => {
    setTimeout(() => void writer?.custom({ type: 'data-late', data: 1 }).catch(() => undefined), 1);
    return part;
  },
};

/** A guard of one phase that acts once by the run's fate, and passes from then on. */
const fated = (phase: Phase, id: string): Processor => ({
  id,
  [phases[phase].hook]: (args: Args) => {
    const { fate, done } = lifeIn(args.requestContext);
    const act = fate.guards[phase];
    if (!act || done.has(id) || (args.part && args.part.type !== 'text-delta')) return args.part;
    done.add(id);
    return acts[act](args) ?? args.part;
  },
});

const lane = (name: string, place: (phase: Phase) => PipelineStep): PipelineStep[] =>
  phaseNames.filter((phase) => phases[phase].lane === name).map(place);

const lanes = (place: (phase: Phase) => PipelineStep): Partial<InterlockAgentConfig> => ({
  inputProcessors: lane('input', place),
  outputProcessors: lane('output', place),
  errorProcessors: lane('error', place),
});

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `word-${index}. `);

/** A new model for each run, which answers by the run's fate. */
const modelOf = ({ fate }: Life): ScriptedModel =>
  scriptedModel({
    steps: ({ index, prompt }) => {
      const text = words(fate.words);
      if (index === 0 && fate.model === 'fails') return { error: new Error('The provider is out of order.') };
      if (index === 0 && fate.model === 'breaks') return { text, error: new Error('The line broke.') };
      if (fate.model === 'hangs') return { hang: true };
      if (fate.model === 'stalls') return { text, hang: true };
      const isAnswered = prompt.some(({ role }) => role === 'tool');
      if (isAnswered || fate.toolCalls === 0) return { text: [...text, 'Done.'] };
      return { text, toolCalls: Array.from({ length: fate.toolCalls }, (_, n) => ({ name: 'act', args: { n } })) };
    },
  });

const toolActs: Record<Fate['tool'], (signal: AbortSignal | undefined) => unknown> = {
  returns: () => ({ ok: true }),
  throws: () => {
    throw new Error('The tool is out of order.');
  },
  'takes-its-time': async () => {
    await wait(2);
    return { ok: true };
  },
  hangs: never,
};

const act = createTool({
  id: 'act',
  description: 'Does what it is told.',
  inputSchema: z.object({ n: z.number() }),
  execute: async (_input, { requestContext, abortSignal }) => toolActs[lifeIn(requestContext).fate.tool](abortSignal),
});

const deadlineMs = 10;
const withPolicy = (policy: GuardPolicy) => (phase: Phase) =>
  guard(fated(phase, `guard-${phase}`), { deadlineMs, ...policy, overlap: false });

/** Deep inside a pipeline, next to a sibling with another fate. */
const nested = (phase: Phase): PipelineStep => {
  const own = withPolicy({ onUnavailable: 'trip' })(phase);
  const inner = pipeline(`room-${phase}`).then(own);
  return pipeline(`house-${phase}`)
    .parallel([inner, guard(fated(phase, `sibling-${phase}`), { deadlineMs })])
    .commit();
};

const passing: Processor = { id: 'passing', processOutputStream: async ({ part }) => part };

/** Agents for the whole soak, each with another wiring of its guards. Their runs are durable if there is an engine. */
export const createAgents = (durability?: Engine): InterlockAgent[] => {
  const agentWith = (id: string, config: Partial<InterlockAgentConfig>): InterlockAgent =>
    new InterlockAgent({
      id,
      name: id,
      instructions: 'Act.',
      model: ({ requestContext }) => modelOf(lifeIn(requestContext)),
      tools: { act },
      durability,
      hold: 'none', // each call has a stricter one or the same
      ...(config as object),
    });
  const judge: Processor = {
    id: 'judge',
    processInput: async (args) => {
      await wait(1);
      if (lifeIn(args.requestContext).fate.guards.input === 'trip') args.abort('no');
      return undefined as never; // a judge returns nothing
    },
  };
  return [
    agentWith('plain', lanes(withPolicy({}))),
    agentWith('nested', lanes(nested)),
    agentWith('windows', {
      ...lanes(withPolicy({ onUnavailable: 'pass' })),
      outputProcessors: [
        guard(passing, { window: 'sentence' }),
        redactor({ kinds: ['email'], strategy: 'mask' }),
        guard(fated('outputStream', 'windowed'), { deadlineMs, window: { chars: 20 } }),
      ],
    }),
    agentWith('beside', {
      ...lanes(withPolicy({})),
      inputProcessors: [guard(judge as never, { overlap: true, deadlineMs: 50 })], // an input guard that returns nothing
    }),
    agentWith(
      'kept',
      lanes(
        withPolicy({
          onUnavailable: 'pass',
          concurrency: { limit: 4, queue: 100 },
          breaker: { failures: 5, halfOpenAfterMs: 5 },
          sampleRate: 0.9,
        }),
      ),
    ),
    agentWith(
      'shadowed',
      lanes((phase) => guard(fated(phase, `guard-${phase}`), { deadlineMs, shadow: true })),
    ),
    agentWith('recorded', { ...lanes(withPolicy({})), recordEdits: true, record: () => () => undefined }),
  ];
};
