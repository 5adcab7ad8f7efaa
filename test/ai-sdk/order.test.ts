import { setImmediate } from 'node:timers/promises';
import { isStepCount, streamText, tool, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGuardedRun, guardedToolLoop, guardSettings, toStreamTransform } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { isStreamed, textOnWire, tripping, ways, type Step } from './support.js';

const words = Array.from({ length: 40 }, (_, index) => `word ${index} `);

/** A transform of the application that takes its time for each part. */
const slow = () =>
  new TransformStream<TextStreamPart<ToolSet>, TextStreamPart<ToolSet>>({
    transform: async (part, controller) => {
      await setImmediate();
      controller.enqueue(part);
    },
  });

describe.each(ways.filter(isStreamed))('the order of parts, %s', (way) => {
  it('a run that a guard of a tool result ends emits the response before its error', async () => {
    const step: Step = { text: words, toolCalls: [{ name: 'charge', args: { amount: 1 } }] };
    const settings = {
      model: scriptedModel({ specificationVersion: 'v4', steps: [step] }),
      tools: { charge: tool({ inputSchema: z.object({ amount: z.number() }), execute: () => 'done' }) },
      stopWhen: isStepCount(2),
      onError: () => undefined,
    };
    const guards = [tripping('toolResult')];
    const run = createGuardedRun(guards);
    const result =
      way === 'agent.stream'
        ? await guardedToolLoop({ ...settings, guards }).stream({ prompt: 'Hi', experimental_transform: slow as never })
        : streamText({
            ...settings,
            ...guardSettings(settings, run),
            prompt: 'Hi',
            experimental_transform: [slow, toStreamTransform(run)] as never,
          });
    const parts: TextStreamPart<ToolSet>[] = [];
    for await (const part of result.stream) parts.push(part);
    expect(textOnWire({ parts })).toBe(words.join(''));
    expect(parts.map(({ type }) => type).slice(-2)).toEqual(['tool-call', 'error']);
  });
});
