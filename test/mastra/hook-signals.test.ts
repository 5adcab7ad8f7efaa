import { Agent, type AgentConfig } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { echo, modes, promptOf, type Mode } from './support.js';

type Kind = typeof Agent;
type Hook = 'processInput' | 'processInputStep' | 'processToolResult' | 'processOutputStep' | 'processOutputResult';

/** A hook that sends a signal at each call and returns its messages, as far as it may. */
const reminding = (hook: Hook): Processor => {
  let calls = 0;
  const remind = async ({ sendSignal, messages }: Parameters<NonNullable<Processor['processInput']>>[0]) => {
    await sendSignal?.({ type: 'reactive', tagName: 'system-reminder', contents: `Reminder ${(calls += 1)}.` });
    return hook === 'processToolResult' ? undefined : messages;
  };
  return { id: 'reminding', [hook]: remind };
};

const outcomeOf = async (OfKind: Kind, mode: Mode, hook: Hook) => {
  const memory = new MockMemory();
  const model = scriptedModel({
    steps: [{ text: 'I look.', toolCalls: [{ name: 'echo', args: { say: 'one' } }] }, { text: 'Done.' }],
  });
  const array = hook === 'processInput' || hook === 'processInputStep' ? 'inputProcessors' : 'outputProcessors';
  const config: AgentConfig = { id: 'a', name: 'A', instructions: 'Answer.', model, memory, tools: { echo } };
  const agent = new OfKind({ ...config, [array]: [reminding(hook)] });
  const call = { memory: { thread: crypto.randomUUID(), resource: 'r' } };
  const output = mode === 'generate' ? await agent.generate('Hi', call) : await (await agent.stream('Hi', call)).getFullOutput();
  const { messages } = await memory.recall({ threadId: call.memory.thread, includeSystemReminders: true });
  return {
    text: output.text,
    steps: output.steps.map(({ text }) => text),
    prompts: [promptOf(model, 0), promptOf(model, 1)],
    saved: messages.map(({ role, content: { parts, metadata } }) => [
      role,
      parts.map((part) => (part.type === 'text' ? part.text : part.type)),
      role === 'assistant' && metadata?.['mastra'], // with the boundary that separates messages when they are loaded again
    ]),
  };
};

describe.each(modes)('a hook that sends a signal, in %s', (mode) => {
  it.each<[Hook, number]>([
    ['processInput', 1],
    ['processInputStep', 2],
    ['processToolResult', 1],
    ['processOutputStep', 2],
    ['processOutputResult', 1],
  ])('%s: rows, prompts and text are those of Mastra’s agent', async (hook, signals) => {
    const ours = await outcomeOf(InterlockAgent as unknown as Kind, mode, hook);
    expect(ours.saved.filter(([role]) => role === 'signal')).toHaveLength(signals);
    expect(JSON.stringify(ours.saved)).toContain('tool-invocation');
    expect(ours).toEqual(await outcomeOf(Agent, mode, hook));
  });
});
