import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { withGuards } from '../../src/ai-sdk/index.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { modes, promptOf } from '../mastra/support.js';
import { agentOf, openDisk, remembering, savedIn, target } from './support.js';

const fresh = () => ({ memory: target, requestContext: new RequestContext() });

/** Records its input. */
const observerModel = () =>
  scriptedModel({ steps: ({ index }) => ({ text: `<observations>\n* Observed ${index + 1}\n</observations>` }) });

const observing = (observer: ScriptedModel) => ({
  options: {
    lastMessages: 10,
    observationalMemory: {
      model: observer,
      scope: 'thread',
      observation: { messageTokens: 20, bufferTokens: false },
    },
  } as const,
});

const blocked: Processor = {
  id: 'blocked-words',
  processOutputStep: ({ text, abort, messageList }) =>
    text?.includes('swordfish') ? abort('The answer has the password.') : messageList,
};

const long = (text: string): string => `${text} ${'More of it. '.repeat(30)}`;

describe.each(modes)('observational memory in %s', (mode) => {
  const begin = (answers: readonly string[]) => {
    const disk = openDisk();
    const observer = observerModel();
    const memory = disk.memory(observing(observer));
    const model = scriptedModel({ steps: ({ index }) => ({ text: answers[index] ?? 'Nothing.' }) });
    const agent = new InterlockAgent({
      id: 'tested',
      name: 'Tested',
      instructions: 'Answer.',
      model,
      memory,
      outputProcessors: [blocked],
    });
    const ask = async (text: string): Promise<string> => {
      const result = await agent[mode](text, fresh());
      await result.text;
      return result.tripwire ? 'tripwire' : 'success';
    };
    return { disk, observer, memory, model, ask };
  };

  it('observes an accepted answer, and the next turn reads the observation', async () => {
    const { observer, model, memory, ask } = begin([long('The sea is blue.'), 'Yes.']);
    expect(await ask('What is blue?')).toBe('success');
    expect(observer.calls).toHaveLength(1);
    expect(JSON.stringify(observer.calls[0]?.prompt)).toContain('The sea is blue.');
    expect(await savedIn(memory)).toHaveLength(2);
    await ask('Is it?');
    const sent = JSON.stringify(promptOf(model, 1));
    expect(sent).toContain('Observed 1');
    expect(sent).toContain('Is it?');
  });

  it('an observer with guards of its own sees no hidden value', async () => {
    const privacy = redactor({ strategy: 'restore' });
    const observer = observerModel();
    const model = withGuards(observer, [privacy]);
    const memory = openDisk().memory({
      options: { observationalMemory: { ...observing(observer).options.observationalMemory, model } },
    } as never);
    const { agent } = remembering(memory, [{ text: long('Noted: [EMAIL_1].') }], {
      inputProcessors: [privacy],
      outputProcessors: [privacy],
    });
    expect(await (await agent[mode]('I am ann@lantern.example.', fresh())).text).toContain('Noted: ann@lantern.example.');
    expect(JSON.stringify(observer.calls)).toContain('I am [EMAIL_1].');
    expect(JSON.stringify(observer.calls)).not.toContain('ann@lantern');
  });

  it('does not observe or save an answer that was not accepted', async () => {
    const { disk, observer, ask } = begin([long('The password is swordfish.'), long('The sea is blue.')]);
    expect(await ask(long('Tell me the password.'))).toBe('tripwire');
    expect(observer.calls).toEqual([]);
    expect(await ask('What is blue?')).toBe('success');
    expect(observer.calls.length).toBeGreaterThan(0);
    expect(JSON.stringify(observer.calls)).not.toContain('swordfish');
    expect(disk.holds('swordfish')).toBe(false);
  });
});

describe('observational memory', () => {
  it('saves the same as Mastra’s own agent; the markers of an observation follow the answer', async () => {
    const saved = async (kind: 'stock' | 'interlock') => {
      const memory = openDisk().memory(observing(observerModel()));
      const { agent } = agentOf(kind, [{ text: 'Blue.' }, { text: 'Yes.' }], { memory });
      await agent.generate('What is blue?', fresh());
      await agent.generate('Is it?', fresh());
      return (await savedIn(memory)).map((message) => message.replaceAll(/ \(data-om-[a-z-]+\)/g, ''));
    };
    expect(await saved('interlock')).toEqual(await saved('stock'));
  });

  it('saves the question and the call of a run that waits for approval, and observes neither', async () => {
    const observer = observerModel();
    const memory = openDisk().memory(observing(observer));
    const pay = createTool({ id: 'pay', description: 'Pays.', inputSchema: z.object({}), execute: async () => 'Paid.' });
    const steps = [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: long('It is paid.') }];
    const { agent } = remembering(memory, steps, { tools: { pay } });
    const waiting = await agent.generate(long('Pay.'), { ...fresh(), requireToolApproval: true });
    expect(waiting.status).toBe('suspended');
    expect(await savedIn(memory)).toEqual([`user: ${long('Pay.')}`, 'assistant: (tool-invocation)']);
    expect(observer.calls).toEqual([]);
    const paid = await agent.approveToolCallGenerate({ runId: waiting.runId });
    expect(paid.status).toBe('success');
    expect(JSON.stringify(observer.calls)).toContain('It is paid.');
  });

  it('does not fail a run if the observer fails', async () => {
    const failing = scriptedModel({ steps: () => ({ error: new Error('The observer is down.') }) });
    const memory = openDisk().memory(observing(failing));
    const model = scriptedModel({ steps: [{ text: long('The sea is blue.') }] });
    const agent = new InterlockAgent({ id: 'tested', name: 'Tested', instructions: 'Answer.', model, memory });
    const result = await agent.generate('What is blue?', fresh());
    expect(result.status).toBe('success');
    expect(await savedIn(memory)).toHaveLength(2);
  });
});
