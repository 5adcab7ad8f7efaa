import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { collectTraces, formatTrace, replay } from '../../src/replay.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { callThen, echo, modes, type Mode } from './support.js';

type Kind = typeof Agent;

/** Starts a new message before the given steps. */
const rotating = (steps: readonly number[], ids: string[] = []) =>
  ({
    id: 'rotating',
    processInputStep: ({ stepNumber, messageId, rotateResponseMessageId }) => {
      ids.push(String(messageId));
      if (steps.includes(stepNumber)) ids.push(String(rotateResponseMessageId?.()));
      return {};
    },
  }) satisfies Processor;

const outcomeOf = async (OfKind: Kind, mode: Mode, { steps, config = {} }: { steps: readonly number[]; config?: object }) => {
  const ids: string[] = [];
  const thread = crypto.randomUUID(); // one for each: runs of a thread wait for each other
  const memory = new MockMemory();
  const model = scriptedModel({ steps: callThen('echo', { say: 'one' }) });
  const agent = new OfKind({
    id: 'rotated',
    name: 'Rotated',
    instructions: 'Answer.',
    model,
    memory,
    tools: { echo },
    inputProcessors: [rotating(steps, ids)],
    ...config,
  });
  const call = { memory: { thread, resource: 'r' } };
  const output = mode === 'generate' ? await agent.generate('Hi', call) : await (await agent.stream('Hi', call)).getFullOutput();
  const { messages } = await memory.recall({ threadId: thread, resourceId: 'r' });
  const name = (id: string) => ids.indexOf(id);
  return {
    ids: ids.map((id) => ids.indexOf(id)),
    text: output.text,
    response: output.response.uiMessages?.map(({ id, parts }) => [name(id), parts.map(({ type }) => type)]),
    saved: messages.map(({ id, role, content }) => [
      role,
      name(id),
      content.parts.map(({ type }) => type),
      content.metadata?.['mastra'], // with the boundary that separates messages when they are loaded again
    ]),
  };
};

describe.each(modes)('a hook that starts a new message of the answer, in %s', (mode) => {
  it.each([[[]], [[0]], [[1]], [[0, 1]]])('rotates messages as in Mastra’s agent: steps %j', async (steps) => {
    const ours = await outcomeOf(InterlockAgent as unknown as Kind, mode, { steps });
    expect(ours).toEqual(await outcomeOf(Agent, mode, { steps }));
    expect(ours.response).toHaveLength(steps.includes(1) ? 2 : 1);
  });

  it('can also choose the id', async () => {
    const chosen: Processor = { id: 'chosen', processInputStep: () => ({ messageId: 'chosen-id' }) };
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: '', model, inputProcessors: [chosen] });
    const { response } = mode === 'generate' ? await agent.generate('Hi') : await (await agent.stream('Hi')).getFullOutput();
    expect(response.uiMessages?.map(({ id }) => id)).toEqual(['chosen-id']);
  });

  it('leaves only that a tool ran if a guard rejects the answer', async () => {
    const outputProcessors: Processor[] = [{ id: 'no', processOutputResult: ({ abort }) => abort('No.') }];
    const { response, saved, text } = await outcomeOf(InterlockAgent as unknown as Kind, mode, {
      steps: [0, 1],
      config: { outputProcessors },
    });
    expect({ response: response ?? [], text }).toEqual({ response: [], text: '' });
    expect(saved.map(([role, , types]) => [role, types])).toEqual([
      ['user', ['text']],
      ['assistant', ['tool-invocation']],
    ]);
  });

  it('can rotate the message of a repeated call', async () => {
    const ids: string[] = [];
    const again: Processor = {
      id: 'again',
      processAPIError: ({ messageId, rotateResponseMessageId }) => {
        ids.push(String(messageId), String(rotateResponseMessageId?.()));
        return { retry: true };
      },
    };
    const model = scriptedModel({ steps: [{ error: new Error('Down.') }, { text: 'Hello.' }] });
    const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: '', model, maxRetries: 0, errorProcessors: [again] });
    const { response } = mode === 'generate' ? await agent.generate('Hi') : await (await agent.stream('Hi')).getFullOutput();
    expect(new Set(ids).size).toBe(2);
    expect(response.uiMessages?.map(({ id }) => id)).toEqual([ids[1]]);
  });

  it('is replayed with the same messages', async () => {
    const recording = collectTraces();
    const model = scriptedModel({ steps: callThen('echo', { say: 'one' }) });
    const agent = new InterlockAgent({
      id: 'a',
      name: 'A',
      instructions: '',
      model,
      tools: { echo },
      inputProcessors: [rotating([0, 1])],
      record: recording.record,
    });
    const { response } = mode === 'generate' ? await agent.generate('Hi') : await (await agent.stream('Hi')).getFullOutput();
    const replayed = await replay(recording.trace, agent);
    expect(replayed.endedAt).toBeUndefined();
    expect(formatTrace(replayed.trace)).toBe(formatTrace(recording.trace));
    expect(new Set(response.uiMessages?.map(({ id }) => id)).size).toBe(2);
  });
});
