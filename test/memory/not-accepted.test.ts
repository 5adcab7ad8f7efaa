import { Mastra } from '@mastra/core/mastra';
import { ProcessorStepSchema, type Processor } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';

import { guard, pipeline, type InterlockAgentConfig } from '../../src/index.js';
import { tripping } from '../../src/testing/index.js';
import { callThen, echo, modes, settled, withText } from '../mastra/support.js';
import { inTurn } from '../modes.js';
import { givenIn, openDisk, recalling, remembering, savedIn, target } from './support.js';

const secret = 'SECRET-4711';
const rejected = 'REJECTED-0815';

/** Runs to the end and returns the status. */
const ask = async (agent: ReturnType<typeof remembering>['agent'], mode: (typeof modes)[number], options: object = {}) => {
  const events: Parameters<NonNullable<InterlockAgentConfig['onRunEvent']>>[0][] = [];
  const given = { memory: target, onRunEvent: (event: (typeof events)[number]) => void events.push(event), ...options };
  if (mode === 'generate') await agent.generate(`Tell me. ${secret}`, given).catch(() => undefined);
  else
    await agent
      .stream(`Tell me. ${secret}`, given)
      .then((stream) => stream.getFullOutput())
      .catch(() => undefined);
  return { events, status: events.flatMap((event) => (event.type === 'run-finish' ? [event.status] : []))[0] };
};

const hooks = [
  ['processInput', 'inputProcessors', 'input'],
  ['processInputStep', 'inputProcessors', 'input'],
  ['processLLMRequest', 'inputProcessors', 'input'],
  ['processOutputStream', 'outputProcessors', 'answer'],
  ['processLLMResponse', 'inputProcessors', 'answer'],
  ['processOutputStep', 'outputProcessors', 'answer'],
  ['processToolResult', 'outputProcessors', 'answer'],
  ['processOutputResult', 'outputProcessors', 'answer'],
] as const;

/** A step with words and a tool call, then the answer: every hook is called. */
const answering = [{ text: `${rejected} a`, toolCalls: [{ name: 'echo', args: { say: rejected } }] }, { text: `${rejected} b` }];

describe.each(modes)('the database after a tripwire in %s', (mode) => {
  const turn = modes.indexOf(mode);
  it.each(inTurn(hooks, turn, 2))('drop, %s', async (hook, lane) => {
    const disk = openDisk();
    const memory = disk.memory();
    const persistence = { tripwire: 'drop' };
    const { agent } = remembering(memory, answering, { tools: { echo }, [lane]: [tripping(hook, 'No.')], persistence });
    const { events, status } = await ask(agent, mode);
    expect(status).toBe('tripwire');
    expect(await savedIn(memory)).toEqual([]);
    expect(givenIn(events)).toEqual(['nothing']);
    expect(disk.holds(secret)).toBe(false);
    expect(disk.holds(rejected)).toBe(false);
  });

  it.each(inTurn(hooks, turn + 1, 2))('by default the calls of tools that ran, %s', async (hook, lane) => {
    const disk = openDisk();
    const memory = disk.memory();
    const { agent } = remembering(memory, answering, { tools: { echo }, [lane]: [tripping(hook, 'No.')] });
    const { events } = await ask(agent, mode);
    const ran = hook === 'processToolResult' || hook === 'processOutputResult'; // the others stop the first step
    expect(await savedIn(memory)).toEqual(ran ? [`user: Tell me. ${secret}`, 'assistant: (tool-invocation)'] : []);
    expect(givenIn(events)).toEqual([ran ? 'accepted' : 'nothing']);
    expect(disk.holds(rejected)).toBe(false);
  });

  it.each(inTurn(hooks, turn, 2))('user-only, %s', async (hook, lane, kept) => {
    const disk = openDisk();
    const memory = disk.memory();
    const persistence = { tripwire: 'user-only' };
    const { agent } = remembering(memory, answering, { tools: { echo }, [lane]: [tripping(hook, 'No.')], persistence });
    const { events } = await ask(agent, mode);
    const isKept = kept === 'answer';
    expect(await savedIn(memory)).toEqual(isKept ? [`user: Tell me. ${secret}`] : []);
    expect(givenIn(events)).toEqual([isKept ? 'user-only' : 'nothing']);
    expect(disk.holds(secret)).toBe(isKept);
    expect(disk.holds(rejected)).toBe(false);
  });

  it.each(inTurn(hooks, turn + 1, 2))('placeholder, %s', async (hook, lane, kept) => {
    const disk = openDisk();
    const memory = disk.memory();
    const persistence = { tripwire: 'placeholder' };
    const { agent } = remembering(memory, answering, { tools: { echo }, [lane]: [tripping(hook, rejected)], persistence });
    const { events } = await ask(agent, mode);
    const user = kept === 'answer' ? `user: Tell me. ${secret}` : 'user: [This message was withheld.]';
    expect(await savedIn(memory)).toEqual([user, 'assistant: [This answer was withheld.]']);
    const { messages } = await memory.recall({ threadId: target.thread, resourceId: target.resource });
    expect(messages.at(-1)?.content.metadata).toMatchObject({ interlock: { withheld: 'tripwire' } });
    expect(givenIn(events)).toEqual(['placeholder']);
    expect(disk.holds(secret)).toBe(kept === 'answer');
    expect(disk.holds(rejected)).toBe(false);
  });

  it('the next turn of a persisted conversation continues it', async () => {
    const memory = openDisk().memory();
    const strict = tripping('processOutputResult', 'No.', { times: 1 });
    const steps = [{ text: rejected }, { text: 'Fine.' }];
    const { agent, model } = remembering(memory, steps, { outputProcessors: [strict], persistence: { tripwire: 'placeholder' } });
    await ask(agent, mode);
    await agent.generate('And now?', { memory: target });
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('[This answer was withheld.]');
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain(rejected);
    expect(await savedIn(memory)).toEqual([
      `user: Tell me. ${secret}`,
      'assistant: [This answer was withheld.]',
      'user: And now?',
      'assistant: Fine.',
    ]);
  });

  it('a rejected attempt is not saved, the accepted one is', async () => {
    const disk = openDisk();
    const memory = disk.memory();
    const strict = tripping('processOutputStep', 'Again.', { retry: true, times: 2 });
    const steps = [{ text: rejected }, { text: rejected }, { text: 'Accepted.' }];
    const { agent } = remembering(memory, steps, { outputProcessors: [strict], maxProcessorRetries: 2 });
    const { events } = await ask(agent, mode);
    expect(await savedIn(memory)).toEqual([`user: Tell me. ${secret}`, 'assistant: Accepted.']);
    expect(givenIn(events)).toEqual(['answer']);
    expect(disk.holds(rejected)).toBe(false);
    expect(disk.holds('Again.')).toBe(false);
  });

  it('a rejected tool result is not saved with the retried attempt', async () => {
    const disk = openDisk();
    const memory = disk.memory();
    const strict = tripping('processToolResult', 'Again.', { retry: true, times: 1 });
    const steps = [{ toolCalls: [{ name: 'echo', args: { say: rejected } }] }, ...callThen('echo', { say: 'hi' })];
    const { agent } = remembering(memory, steps, { tools: { echo }, outputProcessors: [strict], maxProcessorRetries: 1 });
    await ask(agent, mode);
    expect(await savedIn(memory)).toEqual([`user: Tell me. ${secret}`, 'assistant: (tool-invocation) Done.']);
    expect(disk.holds(rejected)).toBe(false);
  });

  it('text that guards redact is not saved, even if the message repeats it', async () => {
    const disk = openDisk();
    const memory = disk.memory();
    const redact = (text: string) => text.replace(secret, '***').replace(rejected, '###');
    const input: Processor = { id: 'in', processInput: ({ messages }) => messages.map((message) => withText(message, redact)) };
    const output: Processor = {
      id: 'out',
      processOutputResult: ({ messages }) => messages.map((message) => withText(message, redact)),
    };
    const { agent } = remembering(memory, [{ text: rejected }], { inputProcessors: [input], outputProcessors: [output] });
    await ask(agent, mode);
    expect(await savedIn(memory)).toEqual(['user: Tell me. ***', 'assistant: ###']);
    expect(disk.holds(secret)).toBe(false);
    expect(disk.holds(rejected)).toBe(false);
  });

  it.each([
    [
      'a part of the text',
      [
        { type: 'text' as const, text: secret },
        { type: 'text' as const, text: 'More.' },
      ],
      ['user: More.'],
    ],
    [
      'all of the text',
      [
        { type: 'text' as const, text: secret },
        { type: 'file' as const, data: 'aGk=', mimeType: 'image/png', mediaType: 'image/png' },
      ],
      ['user: (file)'],
    ],
    ['everything', [{ type: 'text' as const, text: secret }], []],
  ])('a guard that removes %s from a message', async (_what, content, saved) => {
    const disk = openDisk();
    const memory = recalling(disk);
    const isKept = (part: object) => !('text' in part && part.text === secret);
    const input: Processor = {
      id: 'in',
      processInput: ({ messages }) =>
        messages.map((message) => ({ ...message, content: { ...message.content, parts: message.content.parts.filter(isKept) } })),
    };
    const { agent } = remembering(memory, [{ text: 'Fine.' }], { inputProcessors: [input] });
    const result = await agent[mode]([{ role: 'user', content }], { memory: target });
    await result.text;
    expect(await savedIn(memory)).toEqual([...saved, 'assistant: Fine.']);
    expect(disk.holds(secret)).toBe(false);
  });

  it('nothing is saved in the storage of the Mastra instance, whichever engine runs the guard', async () => {
    const disk = openDisk();
    const guards = [
      pipeline('ours')
        .then({ id: 'passes', processOutputResult: ({ messages }) => messages })
        .commit(),
    ];
    const byHand = createWorkflow({ id: 'by-hand', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
      .then(createStep(tripping('processOutputResult', 'No.') as never) as never)
      .commit();
    const { agent } = remembering(new Memory(), [{ text: rejected }], { outputProcessors: [...guards, byHand] });
    const mastra = new Mastra({ agents: { agent }, storage: disk.store, logger: false });
    expect((await ask(mastra.getAgent('agent'), mode)).status).toBe('tripwire');
    expect(await savedIn(disk.memory())).toEqual([]);
    expect(disk.holds(secret)).toBe(false);
    expect(disk.holds(rejected)).toBe(false);
  });

  it('text that an input guard redacted is not saved with a failed turn', async () => {
    const disk = openDisk();
    const memory = disk.memory();
    const inputProcessors: Processor[] = [
      {
        id: 'in',
        processInputStep: ({ messages }) => ({
          messages: messages.map((one) => withText(one, (text) => text.replace(secret, '***'))),
        }),
      },
    ];
    const steps = [{ error: new Error('no answer') }];
    const { agent } = remembering(memory, steps, { inputProcessors, persistence: { failed: 'user-only' } });
    const { status } = await ask(agent, mode);
    expect(status).toBe('failed');
    expect(await savedIn(memory)).toEqual(['user: Tell me. ***']);
    expect(disk.holds(secret)).toBe(false);
  });

  it.each([
    ['drop', []],
    ['user-only', [`user: Tell me. ${secret}`]],
    ['placeholder', [`user: Tell me. ${secret}`, 'assistant: [There was no answer: the run failed.]']],
  ] as const)('a failed run, %s', async (failed, saved) => {
    const memory = openDisk().memory();
    const { agent } = remembering(memory, [{ text: rejected, error: new Error('cut off') }], { persistence: { failed } });
    expect((await ask(agent, mode)).status).toBe('failed');
    expect(await savedIn(memory)).toEqual(saved);
  });

  it.each([
    ['drop', []],
    ['user-only', [`user: Tell me. ${secret}`]],
    ['placeholder', [`user: Tell me. ${secret}`, 'assistant: [The answer was canceled.]']],
  ] as const)('a canceled run, %s', async (canceled, saved) => {
    const disk = openDisk();
    const memory = disk.memory();
    const caller = new AbortController();
    const cutOff = () => {
      setTimeout(() => caller.abort(), 10);
      return { text: [rejected], hang: true };
    };
    const { agent } = remembering(memory, cutOff, { persistence: { canceled } });
    expect((await ask(agent, mode, { abortSignal: caller.signal })).status).toBe('canceled');
    expect(await savedIn(memory)).toEqual(saved);
    expect(disk.holds(rejected)).toBe(false);
  });

  it('an input without a verdict is not saved', async () => {
    const disk = openDisk();
    const inputProcessors: Processor[] = [
      {
        id: 'broken',
        processInputStep: () => {
          throw new Error('down');
        },
      },
    ];
    const { agent } = remembering(disk.memory(), [], { inputProcessors, persistence: { failed: 'user-only' } });
    const { events, status } = await ask(agent, mode);
    expect([status, ...givenIn(events)]).toEqual(['failed', 'nothing']);
    expect(disk.holds(secret)).toBe(false);
  });

  it('an input that a guard accepts in one attempt and rejects in the next is not saved', async () => {
    const disk = openDisk();
    let attempts = 0;
    const inputProcessors: Processor[] = [
      {
        id: 'second-thoughts',
        processInputStep: ({ abort }) => {
          attempts += 1;
          return attempts > 1 ? abort('No.') : undefined;
        },
      },
    ];
    const { agent } = remembering(disk.memory(), [{ text: rejected }], {
      inputProcessors,
      outputProcessors: [tripping('processOutputStep', 'Again.', { retry: true })],
      maxProcessorRetries: 1,
      persistence: { tripwire: 'user-only' },
    });
    const { events } = await ask(agent, mode);
    expect([attempts, ...givenIn(events)]).toEqual([2, 'nothing']);
    expect(disk.holds(secret)).toBe(false);
  });

  it('an input that an overlapping guard rejects is not saved', async () => {
    const disk = openDisk();
    const late = async ({ abort }: { abort: (reason: string) => never }): Promise<void> => {
      await settled();
      abort('No.');
    };
    const inputProcessors = [guard({ id: 'late', processInput: late }, { overlap: true })];
    const { agent } = remembering(disk.memory(), [{ text: rejected }], {
      inputProcessors,
      persistence: { tripwire: 'user-only' },
    });
    const { events, status } = await ask(agent, mode);
    expect([status, ...givenIn(events)]).toEqual(['tripwire', 'nothing']);
    expect(disk.holds(secret)).toBe(false);
  });

  it('the policy of a call overrides that of the agent, per status', async () => {
    const memory = openDisk().memory();
    const outputProcessors = [tripping('processOutputResult', 'No.')];
    const persistence = { tripwire: 'user-only', failed: 'placeholder' };
    const { agent } = remembering(memory, [{ text: 'One.' }, { error: new Error('no') }], { outputProcessors, persistence });
    await ask(agent, mode, { persistence: { tripwire: 'drop' } });
    expect(await savedIn(memory)).toEqual([]);
    await ask(agent, mode, { persistence: { tripwire: 'drop' } });
    expect(await savedIn(memory)).toHaveLength(2);
  });
});

it.each([{ success: 'drop' }, { tripwire: 'keep' }, 'drop'])('the policy %j is rejected', (persistence) => {
  expect(() => remembering(openDisk().memory(), [], { persistence })).toThrow(
    expect.objectContaining({ code: 'agent/invalid-option' }),
  );
});
