import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { RunEvent } from '../../src/index.js';
import { tripping } from '../../src/testing/index.js';
import { modes, sentText } from '../mastra/support.js';
import { openDisk, remembering, savedIn, target } from './support.js';

const note = (memory: unknown) => ({ toolCalls: [{ name: 'updateWorkingMemory', args: { memory } }] });
const enabled = { enabled: true } as const;
const profile = z.object({ name: z.string().optional(), city: z.string().optional(), pets: z.array(z.string()).optional() });

describe.each(modes)('working memory in %s', (mode) => {
  const ask = async (agent: ReturnType<typeof remembering>['agent'], options: object = {}) => {
    const result = await agent[mode]('Hello', { memory: target, requestContext: new RequestContext(), ...options });
    return result.text;
  };

  it.each(['resource', 'thread'] as const)('the next run sees the notes of the model: scope %s', async (scope) => {
    const memory = openDisk().memory({ options: { workingMemory: { ...enabled, scope } } });
    const { agent, model } = remembering(memory, [note('- Name: Ada'), { text: 'Noted.' }, { text: 'You are Ada.' }]);
    expect(await ask(agent)).toContain('Noted.');
    await ask(agent);
    expect(sentText(model, 'system', 0)).not.toContain('- Name: Ada');
    expect(sentText(model, 'system', 2)).toContain('- Name: Ada');
    expect(await savedIn(memory)).toEqual(['user: Hello', 'assistant: Noted.', 'user: Hello', 'assistant: You are Ada.']);
  });

  it('adds its template to the prompt and its tool to the tools', async () => {
    const template = '# Customer\n- Plan:';
    const memory = openDisk().memory({ options: { workingMemory: { ...enabled, template } } });
    const { agent, model } = remembering(memory, [{ text: 'Hi.' }]);
    await ask(agent);
    expect(sentText(model, 'system')).toContain(template);
    expect(model.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(['updateWorkingMemory']);
  });

  it('with a schema, notes are merged across calls and runs', async () => {
    const memory = openDisk().memory({ options: { workingMemory: { ...enabled, schema: profile } } });
    const steps = [note({ name: 'Ada' }), note({ pets: ['Rex'] }), { text: 'One.' }, note({ city: 'Paris' }), { text: 'Two.' }];
    const { agent } = remembering(memory, steps);
    await ask(agent);
    await ask(agent);
    expect(JSON.parse((await memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource })) ?? '')).toEqual({
      name: 'Ada',
      pets: ['Rex'],
      city: 'Paris',
    });
  });

  it.each(['processToolResult', 'processOutputResult'] as const)(
    'a note of an answer that %s rejects is not saved',
    async (hook) => {
      const disk = openDisk();
      const memory = disk.memory({ options: { workingMemory: enabled } });
      const { agent } = remembering(memory, [note('- Secret: SECRET-4711'), { text: 'Noted.' }], {
        outputProcessors: [tripping(hook, 'No.')],
      });
      await ask(agent);
      expect(await memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource })).toBeNull();
      expect(disk.holds('SECRET-4711')).toBe(false);
    },
  );

  it('the notes of the accepted attempt are saved, even if a rejected one has the same', async () => {
    const disk = openDisk();
    const memory = disk.memory({ options: { workingMemory: { ...enabled, schema: profile } } });
    const outputProcessors = [tripping('processToolResult', 'Again.', { retry: true, times: 2 })];
    const steps = [note({ name: 'REJECTED-0815' }), note({ name: 'Ada' }), note({ name: 'Ada' }), { text: 'Noted.' }];
    const { agent } = remembering(memory, steps, { outputProcessors, maxProcessorRetries: 2 });
    const events: RunEvent[] = [];
    await ask(agent, { onRunEvent: (event: RunEvent) => void events.push(event) });
    expect(events.flatMap((event) => (event.type === 'tool-finish' ? [event.outcome] : []))).toEqual([
      'result',
      'result',
      'reused',
    ]);
    expect(await memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource })).toBe('{"name":"Ada"}');
    expect(disk.holds('REJECTED-0815')).toBe(false);
  });

  it('a call that a hook replaces saves no note', async () => {
    const memory = openDisk().memory({ options: { workingMemory: enabled } });
    const hooks = { beforeToolCall: () => ({ proceed: false, output: 'not now' }) };
    const { agent } = remembering(memory, [note('- Name: Ada'), { text: 'Fine.' }], { hooks });
    await ask(agent);
    expect(await memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource })).toBeNull();
  });

  it('tool hooks receive a note once', async () => {
    const memory = openDisk().memory({ options: { workingMemory: enabled } });
    const calls: string[] = [];
    const hooks = {
      beforeToolCall: () => void calls.push('before'),
      afterToolCall: () => void calls.push('after'),
    };
    const { agent } = remembering(memory, [note('- Name: Ada'), { text: 'Fine.' }], { hooks });
    await ask(agent);
    expect(calls).toEqual(['before', 'after']);
    expect(await memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource })).toBe('- Name: Ada');
  });

  it('concurrent runs lose no note', async () => {
    const memory = openDisk().memory({ options: { workingMemory: { ...enabled, schema: profile } } });
    const runs = [{ name: 'Ada' }, { city: 'Paris' }, { pets: ['Rex'] }].map((fact) =>
      ask(remembering(memory, [note(fact), { text: 'Noted.' }]).agent),
    );
    await Promise.all(runs);
    expect(JSON.parse((await memory.getWorkingMemory({ threadId: target.thread, resourceId: target.resource })) ?? '')).toEqual({
      name: 'Ada',
      city: 'Paris',
      pets: ['Rex'],
    });
  });

  it('a failure to save a note fails the run, and its answer is not saved', async () => {
    const memory = openDisk().memory({ options: { workingMemory: enabled } });
    memory.updateWorkingMemory = () => Promise.reject(new Error('disk full'));
    const { agent } = remembering(memory, [note('- Name: Ada'), { text: 'Noted.' }]);
    await expect(ask(agent)).rejects.toThrow('disk full');
    expect(await savedIn(memory)).toEqual([]);
  });

  it('if it is read-only, the model has no tool for it', async () => {
    const memory = openDisk().memory({ options: { workingMemory: enabled } });
    const { agent, model } = remembering(memory, [{ text: 'Hi.' }]);
    await ask(agent, { memory: { ...target, options: { readOnly: true } } });
    expect(model.calls[0]?.options.tools ?? []).toEqual([]);
  });
});
