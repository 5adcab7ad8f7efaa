import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';

import { scriptedModel, tripping } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { all, modes } from '../mastra/support.js';
import { traced } from '../mastra/traced.js';
import { openDisk, remembering, target } from './support.js';

const hasMail = (value: unknown): boolean => JSON.stringify(value).includes('ann@lantern.example');
const failingOnMail: Processor['processOutputStep'] = ({ messages }) => {
  if (hasMail(messages)) throw new Error('down');
  return messages;
};
/** A guard that blocks an address in one hook. */
const onMail = (hook: 'processOutputStep' | 'processOutputResult') => ({
  id: 'no-mail',
  [hook]: ({ messages, abort }: { messages: unknown; abort: (reason: string) => never }) =>
    hasMail(messages) ? abort('No addresses.') : messages,
});
const titles = (text = 'Greetings') => scriptedModel({ steps: () => ({ text }) });
const titleOf = async (memory: ReturnType<ReturnType<typeof openDisk>['memory']>) =>
  (await memory.getThreadById({ threadId: target.thread }))?.title;

describe.each(modes)('the title of a thread in %s', (mode) => {
  /** Calls the agent, and waits for the work that the run leaves to its host. */
  const ask = async (agent: ReturnType<typeof remembering>['agent'], options: object = {}, text = 'Hello') => {
    const work: Promise<unknown>[] = [];
    const generated: string[] = [];
    const memory = { ...target, onTitleGenerated: (title: string) => void generated.push(title) };
    const serverless = { waitUntil: (one: Promise<unknown>) => void work.push(one) };
    const result = await agent[mode](text, { memory, serverless, requestContext: new RequestContext(), ...options });
    await result.text;
    await Promise.all(work);
    return generated;
  };

  it('is generated once, from the accepted conversation', async () => {
    const model = titles();
    const memory = openDisk().memory({ options: { generateTitle: { model, instructions: 'Name it.' } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }, { text: 'Hi again.' }]);
    expect(await ask(agent)).toEqual(['Greetings']);
    expect(await titleOf(memory)).toBe('Greetings');
    expect(await ask(agent)).toEqual([]);
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('User: Hello');
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Assistant: Hi.');
  });

  it.each<[string, object, string[]]>([
    ['an edit', redactor({ strategy: 'replace' }), ['Mail of [EMAIL]']],
    ['a block in the stream', redactor({ strategy: 'block' }), []],
    ['a block of the step', onMail('processOutputStep'), []],
    ['a block of the result', onMail('processOutputResult'), []],
    ['a guard that fails', { id: 'down', processOutputStep: failingOnMail }, []],
  ])('is judged by the output guards: %s', async (_name, guard, expected) => {
    const memory = openDisk().memory({ options: { generateTitle: { model: titles('Mail of ann@lantern.example') } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }], { outputProcessors: [guard as Processor] });
    expect(await ask(agent)).toEqual(expected);
    expect(await titleOf(memory)).toBe(expected[0] ?? '');
    const harmless = openDisk().memory({ options: { generateTitle: { model: titles() } } });
    await ask(remembering(harmless, [{ text: 'Hi.' }], { outputProcessors: [guard as Processor] }).agent);
    expect(await titleOf(harmless)).toBe('Greetings');
  });

  it('is judged by guards that depend on the request', async () => {
    const memory = openDisk().memory({ options: { generateTitle: { model: titles('Mail of ann@lantern.example') } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }], { outputProcessors: () => [redactor({ strategy: 'replace' })] });
    expect(await ask(agent)).toEqual(['Mail of [EMAIL]']);
  });

  it('is written by a model that does not see hidden values, and neither do traces', async () => {
    const privacy = redactor({ strategy: 'restore' });
    const model = titles('About [EMAIL_1]');
    const memory = openDisk().memory({ options: { generateTitle: { model } } });
    const steps = [{ text: 'I write to [EMAIL_1].' }, { text: 'Again.' }];
    const { agent } = remembering(memory, steps, { inputProcessors: () => [privacy], outputProcessors: [privacy] });
    const { everything } = traced(agent);
    expect(await ask(agent, {}, 'My address is ann@lantern.example.')).toEqual(['About ann@lantern.example']);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('My address is [EMAIL_1].');
    await ask(agent, {}, 'And now?'); // its trace has the request's context with the thread
    expect(await everything()).toContain('About [EMAIL_1]');
    expect(await everything()).not.toContain('ann@lantern');
    expect(hasMail(model.calls)).toBe(false);
  });

  it("is written by the agent's models, with their fallbacks", async () => {
    const memory = openDisk().memory({ options: { generateTitle: true } });
    const down = scriptedModel({ steps: () => ({ error: new Error('down') }) });
    const second = titles();
    const { agent } = remembering(memory, [], {
      model: [
        { model: down, maxRetries: 0 },
        { model: second, maxRetries: 0 },
      ],
    });
    expect(await ask(agent)).toEqual(['Greetings']);
    expect(second.calls).toHaveLength(2);
  });

  it('waits for the configured number of messages', async () => {
    const memory = openDisk().memory({ options: { generateTitle: { model: titles(), minMessages: 3 } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }, { text: 'Hi again.' }]);
    expect(await ask(agent)).toEqual([]);
    expect(await ask(agent)).toEqual(['Greetings']);
  });

  it.each(['drop', 'placeholder'] as const)('is not generated from a rejected answer: %s', async (tripwire) => {
    const model = titles();
    const memory = openDisk().memory({ options: { generateTitle: { model } } });
    const outputProcessors = [tripping('processOutputResult', 'No.')];
    const { agent } = remembering(memory, [{ text: 'Rejected.' }], { outputProcessors, persistence: { tripwire } });
    await ask(agent);
    expect(model.calls).toHaveLength(0);
    expect(await titleOf(memory)).toBe('');
  });

  it('and metadata are written to a memory that only saves whole threads', async () => {
    const memory = openDisk().memory({ options: { generateTitle: { model: titles() } } });
    Object.assign(memory, { updateThread: undefined });
    const { agent } = remembering(memory, [{ text: 'Hi.' }, { text: 'Hi again.' }]);
    expect(await ask(agent)).toEqual(['Greetings']);
    await ask(agent, { memory: { ...target, thread: { id: target.thread, metadata: { a: 1 } } } });
    expect(await memory.getThreadById({ threadId: target.thread })).toMatchObject({ title: 'Greetings', metadata: { a: 1 } });
  });

  it('of the caller and other fields of the thread are kept', async () => {
    const memory = openDisk().memory({ options: { generateTitle: { model: titles() } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }]);
    const thread = { id: target.thread, title: 'Mine', metadata: { a: 1 } };
    await ask(agent, { memory: { ...target, thread } });
    expect(await memory.getThreadById({ threadId: target.thread })).toMatchObject({ title: 'Mine', metadata: { a: 1 } });
  });

  it('a failure to generate a title does not affect the run', async () => {
    const model = scriptedModel({ steps: [{ error: new Error('no title') }] });
    const memory = openDisk().memory({ options: { generateTitle: { model } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }]);
    expect(await ask(agent)).toEqual([]);
    expect(await titleOf(memory)).toBe('');
  });
});

describe('the title in a stream', () => {
  it('is emitted before the end if memory enables it', async () => {
    const memory = openDisk().memory({ options: { generateTitle: { model: titles(), emitEvent: true } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }]);
    const stream = await agent.stream('Hello', { memory: target });
    const chunks = await all(stream.fullStream);
    expect(chunks.map(({ type }) => type).slice(-2)).toEqual(['data-thread-title', 'finish']);
    expect(chunks.at(-2)).toMatchObject({ data: { threadId: target.thread, title: 'Greetings' }, transient: true });
    expect(await titleOf(memory)).toBe('Greetings');
  });

  it('does not block a caller that aborts', async () => {
    const model = scriptedModel({ steps: [{ hang: true }] });
    const memory = openDisk().memory({ options: { generateTitle: { model, emitEvent: true } } });
    const { agent } = remembering(memory, [{ text: 'Hi.' }]);
    const caller = new AbortController();
    const stream = await agent.stream('Hello', { memory: target, abortSignal: caller.signal });
    while (model.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    caller.abort();
    const chunks = await all(stream.fullStream);
    expect(chunks.at(-1)?.type).toBe('finish');
  });
});
