import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import {
  carriers,
  finish,
  inTokens,
  inV4,
  inWords,
  nameOf,
  onlyStreamed,
  readable,
  rows,
  secretOf,
  type Carrier,
  type Part,
} from './field-carriers.js';
import { modes, type Mode } from './support.js';

interface Outcome {
  readonly status: string;
  readonly all: unknown;
}

/** The model's output, also in its second step. */
interface Scenario extends Carrier {
  readonly next?: readonly Part[];
}

interface Guarding {
  readonly guard: Processor | readonly Processor[];
  readonly hold: 'none' | 'step' | 'run';
  /** Of the model's interface. */
  readonly version?: 'v2' | 'v4';
}

const run = async (
  mode: Mode,
  { parts, next, tool, before }: Scenario,
  { guard, hold, version = 'v2' }: Guarding,
): Promise<Outcome> => {
  const ended = parts.some(({ type }) => type === 'finish') ? parts : [...parts, finish()];
  const answer = version === 'v4' ? ended.map(inV4) : ended;
  const model = scriptedModel({
    specificationVersion: version,
    steps: [{ parts: answer as never }, next ? { parts: [...next, finish()] as never } : { text: 'Done.' }],
  });
  const search = createTool({
    id: 'search',
    description: 'Finds.',
    inputSchema: z.object({}),
    execute: (_input, context) => tool?.(context.writer) ?? Promise.resolve('none'),
  });
  const received: unknown[] = [];
  const callbacks = {
    onChunk: (chunk: unknown) => void received.push(chunk),
    onStepFinish: (step: unknown) => void received.push(step),
    onFinish: (result: unknown) => void received.push(result),
  };
  const agent = new InterlockAgent({
    id: 'a',
    name: 'a',
    instructions: 'Help.',
    model,
    tools: { search },
    outputProcessors: [...(before ? [before] : []), ...[guard].flat()],
    hold,
  });
  if (mode === 'generate') {
    const result = await agent.generate('Hi', callbacks as never);
    return { status: result.status, all: [received, result] };
  }
  const stream = await agent.stream('Hi', callbacks as never);
  const chunks: unknown[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  const result = await stream.getFullOutput();
  return { status: result.status, all: [received, chunks, result] };
};

describe('P2 every field of the table', () => {
  it('without a guard, each carrier emits its value', async () => {
    const lost: string[] = [];
    for (const [index, row] of rows.entries()) {
      const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
      const { all } = await run('stream', carrier, { guard: [], hold: 'none' });
      const text = readable(all);
      if (!inTokens(secretOf(index)).every(({ token }) => text.includes(token))) lost.push(nameOf(row));
    }
    expect(lost).toEqual([]);
  });

  describe.each(modes)('%s', (mode) => {
    it.each(['none', 'step', 'run'] as const)('emits a value in none of them, with hold %s', async (hold) => {
      const leaks: string[] = [];
      for (const [index, row] of rows.entries()) {
        const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
        const { all } = await run(mode, carrier, { guard: redactor({ strategy: 'replace', kinds: ['email'] }), hold });
        const text = readable(all);
        if (text.includes(secretOf(index)) || inTokens(secretOf(index)).every(({ token }) => text.includes(token)))
          leaks.push(nameOf(row));
      }
      expect(leaks).toEqual([]);
    });

    it('emits a value in none of them, from a model of the newest interface', async () => {
      const leaks: string[] = [];
      for (const [index, row] of rows.entries()) {
        const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
        const guard = redactor({ strategy: 'replace', kinds: ['email'] });
        const text = readable((await run(mode, carrier, { guard, hold: 'none', version: 'v4' })).all);
        if (text.includes(secretOf(index)) || inTokens(secretOf(index)).every(({ token }) => text.includes(token)))
          leaks.push(nameOf(row));
      }
      expect(leaks).toEqual([]);
    });

    it('a value stops the run if the guard blocks', async () => {
      const passes: string[] = [];
      for (const [index, row] of rows.entries()) {
        const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
        const { status, all } = await run(mode, carrier, {
          guard: redactor({ strategy: 'block', kinds: ['email'] }),
          hold: 'none',
        });
        if (readable(all).includes(secretOf(index))) passes.push(`${nameOf(row)} leaves`);
        const isVisible = row.rule !== 'dropped' && (mode === 'stream' || !onlyStreamed.has(row.chunk));
        if (status !== 'tripwire' && isVisible) passes.push(`${nameOf(row)} ends as ${status}`);
      }
      expect(passes).toEqual([]);
    });
  });
});

it.each(modes)('P2 a guard judges the data part of another guard like any chunk: %s', async (mode) => {
  const writes: Processor = {
    id: 'writes',
    processOutputStep: async ({ messages, writer }) => {
      await writer?.custom({ type: 'data-note', data: { note: inWords(secretOf(0)) } });
      return messages;
    },
  };
  const guards = (strategy: 'replace' | 'block') => [redactor({ strategy, kinds: ['email'] }), writes] as const;
  const parts: Part[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hi' },
    { type: 'text-end', id: 't' },
  ];
  const edited = await run(mode, { parts }, { guard: guards('replace'), hold: 'none' });
  expect(readable(edited.all)).toContain('[EMAIL]');
  expect(readable(edited.all)).not.toContain(secretOf(0));
  expect((await run(mode, { parts }, { guard: guards('block'), hold: 'none' })).status).toBe('tripwire');
});

describe('P2 a split value', () => {
  const text = (id: string, delta: string, kind = 'text'): Part[] => [
    { type: `${kind}-start`, id },
    { type: `${kind}-delta`, id, delta },
    { type: `${kind}-end`, id },
  ];
  const [head, tail] = ['mara.quill@exa', 'mple.com'];

  it.each([
    ['two text parts', [...text('a', `Ask ${head}`), ...text('b', `${tail} now.`)]],
    ['reasoning and text', [...text('a', `Ask ${head}`, 'reasoning'), ...text('b', `${tail} now.`)]],
    [
      'reasoning before and after a text',
      [
        ...text('a', `Ask ${head}`, 'reasoning'),
        ...text('t', '(Thinking this over) '),
        ...text('b', `${tail} now.`, 'reasoning'),
      ],
    ],
  ])('over %s: does not emit the second piece', async (_case, parts) => {
    for (const mode of modes) {
      const { all } = await run(mode, { parts }, { guard: redactor({ strategy: 'replace', kinds: ['email'] }), hold: 'none' });
      expect(readable(all)).not.toContain(tail);
      expect(readable(all)).toContain(' now.');
      const blocked = await run(mode, { parts }, { guard: redactor({ strategy: 'block', kinds: ['email'] }), hold: 'none' });
      expect(blocked.status).toBe('tripwire');
    }
  });

  it.each([
    ['reasoning', '(Thinking this over) '],
    ['reasoning with another value', '(Or lee@example.com) '],
  ])('over two steps with %s between: does not emit the second piece', async (_case, thought) => {
    const call: Part = { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}' };
    const next = [...text('r', thought, 'reasoning'), ...text('b', `${tail} now.`)];
    const parts = [...text('a', `Ask ${head}`), call];
    for (const mode of modes) {
      const { all } = await run(
        mode,
        { parts, next },
        { guard: redactor({ strategy: 'replace', kinds: ['email'] }), hold: 'none' },
      );
      expect(readable(all)).not.toContain(tail);
      expect(readable(all)).toContain(' now.');
    }
  });
});

describe.each(modes)('P2 a split value, after a retry of the second step, %s', (mode) => {
  const steps = (rejected: string, last: string) => [
    { text: 'Ask mara.quill@exa', toolCalls: [{ name: 'search', args: {} }] },
    { text: rejected },
    { text: last },
  ];
  const again: Processor = {
    id: 'again',
    processOutputStep: ({ messages, text = '', abort }) => (text.includes('WRONG') ? abort('Again.', { retry: true }) : messages),
  };
  const search = (requireApproval: boolean) =>
    createTool({ id: 'search', description: 'Finds.', inputSchema: z.object({}), requireApproval, execute: async () => 'none' });
  const make = (
    model: ReturnType<typeof scriptedModel>,
    { durability, guards = [] }: { durability?: Engine; guards?: Processor[] },
  ) =>
    new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: 'Help.',
      model,
      tools: { search: search(durability !== undefined) },
      outputProcessors: [redactor({ strategy: 'replace', kinds: ['email'] }), ...guards],
      maxProcessorRetries: 1,
      hold: 'none',
      durability,
    });
  const chunksOf = async (agent: InterlockAgent): Promise<readonly unknown[]> => {
    if (mode === 'generate') {
      const result = await agent.generate('Hi', { runId: 'run' });
      return [result];
    }
    const stream = await agent.stream('Hi', { runId: 'run' });
    const chunks: unknown[] = [];
    for await (const chunk of stream.fullStream) chunks.push(chunk);
    return chunks;
  };

  it('does not emit the second piece', async () => {
    const model = scriptedModel({ steps: steps('mple.com? WRONG', 'mple.com now.') });
    const text = readable(await chunksOf(make(model, { guards: [again] })));
    expect(text).not.toContain('mple.com');
    expect(text).toContain('[EMAIL] now.');
  });

  it('does not join text of a rejected attempt to the next', async () => {
    const model = scriptedModel({ steps: [{ text: 'WRONG ann@' }, { text: 'example.com now.' }] });
    expect(readable(await chunksOf(make(model, { guards: [again] })))).toContain('example.com now.');
  });

  it('does not emit the second piece in a resumed run', async () => {
    const model = scriptedModel({ steps: steps('mple.com now.', '') });
    const agent = make(model, { durability: memoryEngine() });
    const first = await chunksOf(agent);
    const result = await agent.resumeGenerate({ approved: true }, { runId: 'run', toolCallId: 'call-0-0' });
    expect(readable([first, result])).not.toContain('mple.com');
    expect(result.text).toContain('[EMAIL] now.');
  });
});

it('text that a custom guard removed is in no metadata of the step', async () => {
  const calm: Processor = {
    id: 'calm',
    processOutputStream: ({ part }) =>
      Promise.resolve(
        part.type === 'text-delta'
          ? { ...part, payload: { ...part.payload, text: part.payload.text.replace('ZEBRA', 'x') } }
          : part,
      ),
  };
  const metadata = { google: { groundingMetadata: { segments: ['a ZEBRA b'] }, thoughtSignature: 'opaque' } };
  const parts: Part[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'a ZEBRA b' },
    { type: 'text-end', id: 't' },
    finish(metadata),
  ];
  const { all } = await run('stream', { parts }, { guard: calm, hold: 'none' });
  expect(readable(all)).not.toContain('ZEBRA');
  expect(readable(all)).toContain('opaque');
});
