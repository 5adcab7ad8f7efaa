import { readFileSync } from 'node:fs';
import { Agent } from '@mastra/core/agent';
import type { MockMemory } from '@mastra/core/memory';
import type { FullOutput } from '@mastra/core/stream';
import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { alike, otherwise, type OddCall } from './odd-calls-rows.js';
import { all, modes, type Mode } from './support.js';

type Kind = typeof Agent;

/** Chunks that are not compared: those of objects arrive as the guide describes, and only our stream has the provider's metadata. */
const apart = new Set(['response-metadata', 'object', 'object-result']);
/** Fields that differ in every run. */
const chance = new Set(['id', 'messageId', 'runId', 'timestamp', 'createdAt', 'toolCallId']);

const plain = (value: unknown): unknown => {
  const json = JSON.stringify(value ?? null, (key, field: unknown) => (chance.has(key) ? undefined : field));
  return JSON.parse(json.replaceAll(/\\"runId\\":\\"[^"]*\\"/g, '')) as unknown;
};

const partsOf = (messages: readonly { role: string; parts: readonly { type: string; text?: string }[] }[]) =>
  messages.map(({ role, parts }) => [role, ...parts.map(({ type, text }) => [type, text])]);

/** The visible part of a result. */
const seen = (output: FullOutput) => ({
  text: output.text,
  finishReason: output.finishReason,
  object: output.object,
  steps: output.steps.map(({ text, finishReason, toolCalls, toolResults }) => [
    text,
    finishReason,
    toolCalls.length,
    toolResults.length,
  ]),
  toolResults: output.toolResults.map(({ payload }) => payload.result),
  tokens: output.totalUsage.totalTokens,
  warnings: output.warnings,
  messages: partsOf(output.response.uiMessages ?? []),
});

const savedIn = async (memory: MockMemory | undefined) => {
  const { messages } = (await memory?.recall({ threadId: 'thread-1', resourceId: 'person-1' }).catch(() => undefined)) ?? {
    messages: [],
  };
  return messages.map(({ role, content }) => [role, content.parts.map((part) => ('text' in part ? part.text : part.type))]);
};

/** The outcome of a call, as far as an agent of Mastra's has it. */
const outcomeOf = async (
  OfKind: Kind,
  { steps = [{ text: 'Hello.' }], config, options, prompt: input = 'Hi' }: OddCall,
  mode: Mode,
) => {
  const kit = { log: [], controller: new AbortController() };
  const model = scriptedModel({ steps });
  const given = config?.(kit);
  const chunks: string[] = [];
  const call = options?.(kit) as never; // any options, including unknown ones
  const ask = async () => {
    const agent = new OfKind({ id: 'odd', name: 'Odd', instructions: 'Answer.', model, maxRetries: 0, ...given });
    if (mode === 'generate') return agent.generate(input as string, call);
    const stream = await agent.stream(input as string, call);
    for (const { type } of await all(stream.fullStream as AsyncIterable<{ type: string }>))
      if (!apart.has(type)) chunks.push(type);
    return stream.getFullOutput();
  };
  const answer = await ask().then(
    (output) => seen(output as FullOutput),
    () => 'refused',
  ); // of either agent, with the fields that are read
  const requests = model.calls.map(
    ({ prompt, options: { tools, toolChoice, temperature, topP, seed, providerOptions, responseFormat, headers } }) => ({
      prompt,
      settings: [toolChoice, temperature, topP, seed, providerOptions, responseFormat?.type, headers],
      tools: tools?.map(({ name }) => name),
    }),
  );
  return plain({ answer, requests, chunks, log: kit.log, saved: await savedIn(given?.memory) });
};

const guide = readFileSync(new URL('../../docs/guide/guarantees.md', import.meta.url), 'utf8');

describe.each(modes)('unusual calls, %s', (mode) => {
  it.each(Object.entries(alike))('have the same outcome as with Mastra’s agent: %s', async (_name, call) => {
    const ours = await outcomeOf(InterlockAgent as unknown as Kind, call, mode);
    expect(ours).not.toMatchObject({ answer: 'refused' });
    expect(ours).toEqual(await outcomeOf(Agent, call, mode));
  });

  it.each(otherwise)('have another outcome: $name', async (call) => {
    expect(await outcomeOf(InterlockAgent as unknown as Kind, call, mode)).not.toEqual(await outcomeOf(Agent, call, mode));
    expect(guide).toContain(call.why);
  });
});
