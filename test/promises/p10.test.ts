import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import { describe, expect, it } from 'vitest';

import { InterlockAgent, isInterlockError, type InterlockAgentConfig, type Phase } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { guardOn, laned, modes, readAll, retractionsOf, textOnWire, type Chunk, type HookArgs, type Mode } from './support.js';
import { unsupportedMethods } from '../../src/mastra/agent/unsupported-methods.js';

/** Text of the sub-agent that no supervisor may get. */
const secret = 'ZEBRA';
const reason = 'Not for others.';

const kinds = ['interlock', 'stock'] as const;
type Kind = (typeof kinds)[number];

const makeAgent = (kind: Kind, config: InterlockAgentConfig): Agent =>
  kind === 'interlock' ? new InterlockAgent(config) : new Agent(config as never); // the common options of both

/** An agent that emits the secret, and whose guard of one phase stops it. */
const tripping = (kind: Kind, phase: Phase, config: Partial<InterlockAgentConfig> = {}) => {
  const options = phase === 'outputStream' ? { when: ({ part }: HookArgs) => JSON.stringify(part).includes(secret) } : {};
  const guard = guardOn(phase, ({ abort }) => abort(reason, { metadata: { secret } }), options);
  const model = scriptedModel({ steps: () => ({ text: ['The code is ', `${secret}.`] }) });
  const base = { id: 'leaf', name: 'Leaf', description: 'Knows codes.', instructions: 'Tell.', model, hold: 'none' as const };
  return makeAgent(kind, { ...base, ...laned([phase, guard]), ...(config as object) });
};

/** An agent that calls its sub-agent once and then answers. */
const supervisorOf = (kind: Kind, name: string, child: Agent, config: Partial<InterlockAgentConfig> = {}) => {
  const model = scriptedModel({
    steps: ({ prompt }) =>
      prompt.some(({ role }) => role === 'tool')
        ? { text: `${name} goes on.` }
        : { toolCalls: [{ name: 'agent-child', args: { prompt: 'What is the code?' } }] },
  });
  const base = { id: name, name, description: `Asks for ${name}.`, instructions: 'Ask.', model, agents: { child } };
  return { agent: makeAgent(kind, { ...base, ...(config as object) }), model };
};

interface Answer {
  readonly text: string;
  readonly toolResults: unknown;
  readonly steps: unknown;
  readonly chunks: readonly Chunk[];
}

const ask = async (agent: Agent, mode: Mode): Promise<Answer> => {
  if (mode === 'generate') return { ...(await agent.generate('Go.')), chunks: [] };
  const stream = await agent.stream('Go.');
  const chunks = await readAll(stream.fullStream);
  return { ...(await stream.getFullOutput()), chunks };
};

/** The result of the call in the supervisor's model. */
const toolResultsSentTo = (model: ScriptedModel): { type: string; value: string }[] =>
  (model.calls.at(-1)?.prompt ?? []).flatMap(({ role, content }) =>
    role === 'tool' ? content.map((part) => (part as { output: { type: string; value: string } }).output) : [],
  );

const toolChunks = ({ chunks }: Answer, type: string): Chunk[] => chunks.filter((chunk) => chunk.type === type);

/** The chunks of sub-agents inside a supervisor's. */
const inner = ({ chunks }: Answer): Chunk[] =>
  chunks.flatMap((chunk) => (chunk.type === 'tool-output' ? [(chunk.payload as { output: Chunk }).output] : []));

/** The phases in which a sub-agent's guard may stop it, after its text exists, and before. */
const phasesThatTrip = ['input', 'inputStep', 'outputStream', 'outputStep', 'outputResult'] as const satisfies Phase[];

const everyCase = modes.flatMap((mode) => kinds.flatMap((kind) => phasesThatTrip.map((phase) => ({ mode, kind, phase }))));

describe('P10: a sub-agent’s tripwire is a refusal', () => {
  it.each(everyCase)('$mode: a supervisor of a $kind sub-agent that trips in $phase', async ({ mode, kind, phase }) => {
    const { agent, model } = supervisorOf('interlock', 'supervisor', tripping(kind, phase));
    const answer = await ask(agent, mode);
    expect(toolResultsSentTo(model)).toEqual([{ type: 'error-text', value: expect.stringContaining('[agent/refused] at leaf') }]);
    expect(toolResultsSentTo(model)[0]?.value).toContain(reason);
    expect(JSON.stringify(model.calls)).not.toContain(secret);
    expect(answer.text).toContain('supervisor goes on.');
    expect(answer.toolResults).toEqual([]);
    expect(JSON.stringify([answer.text, answer.steps])).not.toContain(secret);
    if (mode === 'stream') {
      expect(toolChunks(answer, 'tool-result')).toEqual([]);
      const [error] = toolChunks(answer, 'tool-error');
      expect(isInterlockError((error as { payload: { error: unknown } }).payload.error, 'agent/refused')).toBe(true);
    }
  });

  it.each(kinds)('retracts the output of a %s sub-agent', async (kind) => {
    const answer = await ask(supervisorOf('interlock', 'supervisor', tripping(kind, 'outputResult')).agent, 'stream');
    const out = inner(answer).flatMap(({ type, payload }) => (type === 'text-start' ? [(payload as { id: string }).id] : []));
    expect(textOnWire({ chunks: inner(answer) })).toContain(secret);
    expect(retractionsOf(answer)).toEqual([]);
    expect(retractionsOf({ chunks: inner(answer) }).map(({ partIds }) => partIds)).toEqual([out]);
  });

  it.each(kinds.flatMap((kind) => (['step', 'run'] as const).map((hold) => ({ kind, hold }))))(
    'emits nothing with hold $hold of a rejected $kind sub-agent',
    async ({ kind, hold }) => {
      const { agent } = supervisorOf('interlock', 'supervisor', tripping(kind, 'outputResult'), { hold });
      const answer = await ask(agent, 'stream');
      expect(JSON.stringify(answer.chunks)).not.toContain(secret);
      expect(inner(answer)).toEqual([]);
      expect(toolChunks(answer, 'tool-error')).toHaveLength(1);
    },
  );

  it('emits the output of an accepted sub-agent if the supervisor holds', async () => {
    const child = tripping('interlock', 'apiError');
    const answer = await ask(supervisorOf('interlock', 'supervisor', child, { hold: 'step' }).agent, 'stream');
    expect(textOnWire({ chunks: inner(answer) })).toContain(secret);
    expect(toolChunks(answer, 'tool-result')).toHaveLength(1);
  });

  it.each(modes.flatMap((mode) => kinds.flatMap((middle) => kinds.map((leaf) => ({ mode, middle, leaf })))))(
    '$mode, two deep: a $leaf leaf under a $middle agent under a supervisor',
    async ({ mode, middle, leaf }) => {
      const between = supervisorOf(middle, 'middle', tripping(leaf, 'outputResult'));
      const { agent, model } = supervisorOf('interlock', 'supervisor', between.agent);
      await ask(agent, mode);
      expect(toolResultsSentTo(model)).toEqual([{ type: 'text', value: 'middle goes on.' }]);
      // Mastra's own agent over Mastra's own agent behaves as in Mastra, under any supervisor.
      if (middle === 'stock' && leaf === 'stock') return;
      expect(toolResultsSentTo(between.model)).toEqual([{ type: 'error-text', value: expect.any(String) }]);
      expect(JSON.stringify([model.calls, between.model.calls])).not.toContain(secret);
    },
  );

  it.each(modes)('%s, two deep: the agent in between trips, too', async (mode) => {
    const guard = guardOn('outputResult', ({ abort }) => abort('Not this either.'));
    const between = supervisorOf('interlock', 'middle', tripping('interlock', 'outputResult'), laned(['outputResult', guard]));
    const { agent, model } = supervisorOf('interlock', 'supervisor', between.agent);
    await ask(agent, mode);
    expect(toolResultsSentTo(model)[0]?.value).toContain('[agent/refused] at middle');
    expect(toolResultsSentTo(model)[0]?.value).toContain('Not this either.');
    expect(JSON.stringify(model.calls)).not.toContain(secret);
  });

  it.each(modes)('%s: a stock supervisor gets only the failure of an Interlock sub-agent', async (mode) => {
    const { agent, model } = supervisorOf('stock', 'supervisor', tripping('interlock', 'outputResult'));
    await ask(agent, mode);
    expect(toolResultsSentTo(model)).toEqual([
      { type: 'error-text', value: expect.stringContaining('Failed agent tool execution') },
    ]);
    expect(JSON.stringify(model.calls)).not.toContain(secret);
  });

  it.each(modes.flatMap((mode) => kinds.map((kind) => ({ mode, kind }))))(
    '$mode: saves no rejected content of a $kind sub-agent in the memory that it inherits',
    async ({ mode, kind }) => {
      const memory = new MockMemory({ enableMessageHistory: true });
      const { agent } = supervisorOf('interlock', 'supervisor', tripping(kind, 'outputStep'), { memory });
      const target = { memory: { thread: 'thread-1', resource: 'person-1' } };
      if (mode === 'generate') await agent.generate('Go.', target);
      else await readAll((await agent.stream('Go.', target)).fullStream);
      const { threads } = await memory.listThreads({ perPage: false });
      const saved = await Promise.all(threads.map(({ id, resourceId }) => memory.recall({ threadId: id, resourceId })));
      expect(threads.length).toBeGreaterThan(0);
      expect(JSON.stringify(saved)).not.toContain(secret);
    },
  );

  it.each(modes)('%s: an accepted answer is a result, and the model receives only its text', async (mode) => {
    const { agent, model } = supervisorOf('interlock', 'supervisor', tripping('interlock', 'apiError'));
    const answer = await ask(agent, mode);
    expect(toolResultsSentTo(model)).toEqual([{ type: 'text', value: `The code is ${secret}.` }]);
    expect(answer.toolResults).toHaveLength(1);
  });

  it.each(modes)('%s: a failing sub-agent is an error and no refusal', async (mode) => {
    const guard = guardOn('outputStep', () => {
      throw new Error('out of order');
    });
    const child = tripping('interlock', 'apiError', laned(['outputStep', guard]));
    const { agent, model } = supervisorOf('interlock', 'supervisor', child);
    await ask(agent, mode);
    expect(toolResultsSentTo(model)).toEqual([{ type: 'error-text', value: expect.not.stringContaining('agent/refused') }]);
  });

  it('a caller other than a supervisor receives the tripwire as a result', async () => {
    const child = tripping('interlock', 'outputResult');
    const supervisor = supervisorOf('interlock', 'supervisor', child).agent;
    const listed = (await supervisor.listAgents())['child'] as Agent;
    for (const agent of [child, listed]) {
      const result = await agent.generate('Go.');
      expect(result.tripwire?.reason).toBe(reason);
      expect(result.text).toBe('');
    }
    expect(listed).toBeInstanceOf(InterlockAgent);
  });
});

describe('methods without the loop', () => {
  it.each(Object.keys(unsupportedMethods) as (keyof typeof unsupportedMethods)[])(
    '%s is rejected by name, before any model call',
    async (name) => {
      const model = scriptedModel({ steps: () => ({ text: secret }) });
      const inputProcessors = [{ id: 'guard', processInput: () => undefined as never }];
      const agent = new InterlockAgent({ id: 'one', name: 'One', instructions: 'Answer.', model, inputProcessors });
      const call = (agent[name] as unknown as (...args: unknown[]) => Promise<unknown>).bind(agent);
      const error: unknown = await call('Go.', { runId: 'run-1' }).catch((thrown: unknown) => thrown);
      expect(isInterlockError(error, 'agent/unsupported-method')).toBe(true);
      expect((error as { path?: string }).path).toBe(name);
      expect(model.calls).toHaveLength(0);
    },
  );

  it('streamUntilIdle runs the loop', async () => {
    const child = tripping('interlock', 'outputResult');
    const stream = await child.streamUntilIdle('Go.');
    await readAll(stream.fullStream);
    expect(stream.tripwire?.reason).toBe(reason);
    expect(await stream.text).toBe('');
  });
});
