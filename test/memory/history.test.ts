import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { Memory } from '@mastra/memory';
import { describe, expect, it, vi } from 'vitest';

import { InterlockAgent, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { expectRefusal, modes, promptOf } from '../mastra/support.js';
import { givenIn, openDisk, remembering, savedIn, target } from './support.js';

const numbered = ({ index }: { index: number }) => ({ text: `Answer ${index + 1}.` });
const fresh = () => ({ memory: target, requestContext: new RequestContext() });

describe.each(modes)('the history of a thread in %s', (mode) => {
  type Callable = Record<typeof mode, (text: string, options: object) => Promise<{ text: unknown }>>;
  const ask = async (agent: Callable, text: string, options: object = {}) => {
    const result = await agent[mode](text, { ...fresh(), ...options });
    return result.text;
  };

  it('is limited by the options of memory and of a call', async () => {
    const memory = openDisk().memory({ options: { lastMessages: 2 } });
    const { agent, model } = remembering(memory, numbered);
    for (const text of ['One', 'Two', 'Three']) await ask(agent, text);
    expect(promptOf(model, 2).slice(1)).toEqual([
      ['user', 'Two'],
      ['assistant', 'Answer 2.'],
      ['user', 'Three'],
    ]);
    await ask(agent, 'Four', { memory: { ...target, options: { lastMessages: 4 } } });
    expect(promptOf(model, 3)).toHaveLength(6);
    expect(await savedIn(memory)).toHaveLength(8);
  });

  it('is limited by tokens, and omitted messages stay in the database', async () => {
    const memory = openDisk().memory({ options: { messageHistory: { maxTokens: 150 } } });
    const { agent, model } = remembering(memory, ({ index }) => ({ text: `Answer ${index + 1}. ${'Words. '.repeat(40)}` }));
    for (const text of ['One', 'Two', 'Three', 'Four']) await ask(agent, text);
    const sent = JSON.stringify(promptOf(model, 3));
    expect(sent).not.toContain('Answer 1.');
    expect(sent).toContain('Answer 3.');
    expect(await savedIn(memory)).toHaveLength(8);
    expect((await memory.getThreadById({ threadId: target.thread }))?.metadata).toHaveProperty('memoryTokenLimiter');
  });

  it('is neither loaded nor saved with lastMessages false', async () => {
    const memory = openDisk().memory({ options: { lastMessages: false } });
    const { agent, model } = remembering(memory, numbered);
    await ask(agent, 'One');
    await ask(agent, 'Two');
    expect(promptOf(model, 1).slice(1)).toEqual([['user', 'Two']]);
    expect(await savedIn(memory)).toEqual([]);
  });

  it.each([
    ['a call', {}, { readOnly: true }],
    ['memory', { readOnly: true }, {}],
  ])('is read and not written if %s is read-only', async (_subject, own, ofCall) => {
    const disk = openDisk();
    await ask(remembering(disk.memory(), numbered).agent, 'One');
    const { agent, model } = remembering(disk.memory({ options: own }), numbered);
    await ask(agent, 'Two', { memory: { ...target, options: ofCall } });
    expect(promptOf(model).slice(1)).toEqual([
      ['user', 'One'],
      ['assistant', 'Answer 1.'],
      ['user', 'Two'],
    ]);
    expect(await savedIn(disk.memory())).toEqual(['user: One', 'assistant: Answer 1.']);
  });

  it('is present after the database is reopened', async () => {
    const disk = openDisk();
    await ask(remembering(disk.memory(), numbered).agent, 'One');
    const { agent, model } = remembering(new Memory({ storage: disk.reopen() }), numbered);
    await ask(agent, 'Two');
    expect(promptOf(model).slice(1)).toEqual([
      ['user', 'One'],
      ['assistant', 'Answer 1.'],
      ['user', 'Two'],
    ]);
  });

  it('can come from a memory chosen by the request', async () => {
    const [ours, theirs] = [openDisk().memory(), openDisk().memory()];
    const choose = ({ requestContext }: { requestContext: RequestContext }) =>
      requestContext.get('tenant') === 'us' ? ours : theirs;
    const { agent } = remembering(choose, numbered);
    await ask(agent, 'One', { requestContext: new RequestContext([['tenant', 'us']]) });
    await ask(agent, 'Two', { requestContext: new RequestContext([['tenant', 'them']]) });
    expect(await savedIn(ours)).toEqual(['user: One', 'assistant: Answer 1.']);
    expect(await savedIn(theirs)).toEqual(['user: Two', 'assistant: Answer 2.']);
  });

  it('can come from the storage of the Mastra instance', async () => {
    const disk = openDisk();
    const { agent } = remembering(new Memory(), numbered);
    const mastra = new Mastra({ agents: { agent }, storage: disk.store, logger: false });
    await ask(mastra.getAgent('agent'), 'One');
    expect(await savedIn(disk.memory())).toEqual(['user: One', 'assistant: Answer 1.']);
  });

  it('concurrent runs on one thread lose nothing', async () => {
    const memory = openDisk().memory();
    const { agent } = remembering(memory, numbered);
    const questions = ['One', 'Two', 'Three', 'Four'];
    await Promise.all(
      questions.map((text, index) =>
        ask(agent, text, { memory: { ...target, thread: { id: target.thread, metadata: { [`run-${index}`]: true } } } }),
      ),
    );
    const saved = await savedIn(memory);
    expect(saved).toHaveLength(8);
    expect(saved.filter((message) => message.startsWith('user')).toSorted()).toEqual(
      questions.map((text) => `user: ${text}`).toSorted(),
    );
    expect(new Set(saved)).toHaveLength(8);
    const thread = await memory.getThreadById({ threadId: target.thread });
    expect(Object.keys(thread?.metadata ?? {}).toSorted()).toEqual(['run-0', 'run-1', 'run-2', 'run-3']);
  });

  it('runs that share a request context keep their own threads', async () => {
    const memory = openDisk().memory();
    const { agent, model } = remembering(memory, numbered);
    const requestContext = new RequestContext();
    const threads = ['a', 'b', 'c'];
    const round = (text: string) =>
      Promise.all(threads.map((thread) => ask(agent, `${text} in ${thread}`, { requestContext, memory: { ...target, thread } })));
    await round('First');
    await round('Second');
    for (const thread of threads) {
      const saved = await savedIn(memory, thread);
      expect(saved.filter((said) => said.startsWith('user'))).toEqual([`user: First in ${thread}`, `user: Second in ${thread}`]);
      const prompts = model.calls.map((_call, index) => promptOf(model, index));
      const own = prompts.find((prompt) => prompt.at(-1)?.[1] === `Second in ${thread}`);
      expect(own?.filter(([role]) => role === 'user').map(([, text]) => text)).toEqual([
        `First in ${thread}`,
        `Second in ${thread}`,
      ]);
    }
  });

  it('a failure to save the answer fails the run with its error', async () => {
    const disk = openDisk();
    const store = await disk.store.getStore('memory');
    const { agent } = remembering(disk.memory(), [{ text: 'Unsaved.' }]);
    const events: RunEvent[] = [];
    if (store) store.saveMessages = () => Promise.reject(new Error('disk full'));
    const run = async () => {
      if (mode === 'generate') return agent.generate('One', { ...fresh(), onRunEvent: (event) => void events.push(event) });
      const stream = await agent.stream('One', { ...fresh(), onRunEvent: (event) => void events.push(event) });
      return stream.getFullOutput();
    };
    await expect(run()).rejects.toThrow('disk full');
    const end = events.at(-1);
    expect(end).toMatchObject({ type: 'run-finish', status: 'failed', error: { code: 'guard/unavailable' } });
    expect(givenIn(events)).toEqual([expect.stringMatching(/^answer: .*disk full/)]);
  });

  it('a failure to save a stopped run is reported and does not change the outcome', async () => {
    const disk = openDisk();
    const store = await disk.store.getStore('memory');
    const { agent } = remembering(disk.memory(), [{ error: new Error('no answer') }], { persistence: { failed: 'placeholder' } });
    if (store) store.saveMessages = () => Promise.reject(new Error('disk full'));
    const events: RunEvent[] = [];
    const onRunEvent = (event: RunEvent) => void events.push(event);
    await expect(
      mode === 'generate'
        ? agent.generate('One', { ...fresh(), onRunEvent })
        : agent.stream('One', { ...fresh(), onRunEvent }).then((stream) => stream.getFullOutput()),
    ).rejects.toThrow('no answer');
    expect(givenIn(events)).toEqual([expect.stringMatching(/^placeholder: .*disk full/)]);
  });

  it('a stopped run ends, even if memory never responds', async () => {
    const disk = openDisk();
    const store = await disk.store.getStore('memory');
    if (store) store.saveMessages = () => new Promise(() => undefined);
    const { agent } = remembering(disk.memory(), [{ error: new Error('no answer') }], { persistence: { failed: 'user-only' } });
    const events: RunEvent[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = ask(agent, 'One', { onRunEvent: (event: RunEvent) => void events.push(event) }).catch(
        (error: Error) => error.message,
      );
      for (let turn = 0; turn < 500 && events.at(-1)?.type !== 'run-finish'; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        await vi.advanceTimersByTimeAsync(100);
      }
      expect(await answer).toContain('no answer');
    } finally {
      vi.useRealTimers();
    }
    expect(givenIn(events)).toEqual([expect.stringMatching(/^user-only: memory did not answer/)]);
  });

  it.each([['memory.options.workingMemory.useStateSignals', { workingMemory: { enabled: true, useStateSignals: true } }]])(
    '%s is rejected',
    async (name, options) => {
      const memory = openDisk().memory();
      const model = scriptedModel({ steps: [] });
      const agent = new InterlockAgent({ id: 'tested', name: 'Tested', instructions: 'Answer.', model, memory });
      const error = await expectRefusal('agent/unsupported-option', model, () =>
        agent[mode]('Hi', { ...fresh(), memory: { ...target, options } }),
      );
      expect(error.message).toContain(name);
    },
  );
});
