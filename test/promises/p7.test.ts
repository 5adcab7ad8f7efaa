import { setImmediate as turn } from 'node:timers/promises';

import { Agent } from '@mastra/core/agent';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { phases, pipeline, type Phase, type Pipeline, type PipelineStep } from '../../src/index.js';
import type { OverlapRule } from '../../src/pipeline/overlap.js';
import { homes, type Home } from './blocks.js';
import { createAgent, laned, modelFor, runAgent, modes } from './support.js';

interface Text {
  type?: string;
  text: string;
}

interface Args {
  readonly messages?: MastraDBMessage[];
  readonly messageList?: MessageList;
  readonly part?: { type: string; payload: Text & { note?: string } };
  readonly prompt?: { role: string; content: Text[] | string }[];
  readonly result?: Record<string, unknown>;
  readonly toolChoice?: unknown;
  readonly model?: unknown;
  readonly modelSettings?: unknown;
  readonly tools?: Record<string, unknown>;
}

/** The text that a guard can edit in a phase: the first one of two words or more. */
const textIn = (args: Args): Text | undefined => {
  const parts = args.messages?.flatMap(({ content }) => content.parts) ?? [];
  const turns = args.prompt?.flatMap(({ content }) => (typeof content === 'string' ? [] : content)) ?? [];
  const chunk = args.part?.type === 'text-delta' ? [args.part.payload] : [];
  return [...parts, ...turns, ...chunk].find((one): one is Text => 'text' in one && /\w+\W+\w/.test(one.text));
};

type Change = (text: string) => string;
const how = ['by return', 'in place'] as const;
type How = (typeof how)[number];

/** The phases in which texts can be edited, and whether a hook may return them. */
const textPhases = (Object.keys(phases) as Phase[]).filter((phase) => phase !== 'llmResponse');
const returns = (phase: Phase, way: How): boolean => way === 'by return' && phase !== 'apiError';

const edited = (phase: Phase, way: How, args: Args, change: Change): unknown => {
  const isReturned = returns(phase, way);
  const { messages, prompt, part } = args;
  const own: Args = isReturned ? structuredClone({ messages, prompt, part }) : args;
  const found = textIn(own);
  if (found) found.text = change(found.text);
  if (own.part) return own.part;
  if (own.prompt) return isReturned ? { prompt: own.prompt } : undefined;
  return isReturned ? own.messages : undefined;
};

const guard = (phase: Phase, id: string, run: (args: Args) => unknown): Processor => ({ id, [phases[phase].hook]: run });

const writing = (phase: Phase, id: string, { way, change }: { way: How; change: Change }): Processor =>
  guard(phase, id, (args) => edited(phase, way, args, change));

/** Changes of the first and of the last word, which every tested text has. */
const first =
  (word: string): Change =>
  (text) =>
    text.replace(/^\W*\w+/, word);
const last =
  (word: string): Change =>
  (text) =>
    text.replace(/\w+(?=\W*$)/, word);

/** A guard after a block, which records its input. */
const witness = (phase: Phase) => {
  const seen: Args[] = [];
  const texts: string[] = [];
  const look = guard(phase, 'witness', (args) => {
    const found = textIn(args);
    if (found) texts.push(found.text);
    seen.push({ ...args });
    return args.part;
  });
  return { look, seen, texts };
};

const everyPlace = (among: readonly Phase[]) =>
  Object.values(homes as Record<string, Home>).flatMap((home) =>
    home.phases.filter((phase) => among.includes(phase)).map((phase) => ({ home, phase, name: home.name })),
  );

/** The blocks for two parallel guards. */
const blocks: Record<string, (a: PipelineStep, b: PipelineStep) => Pipeline> = {
  parallel: (a, b) => pipeline('p').parallel([a, b]),
  branch: (a, b) =>
    pipeline('p').branch([
      [() => true, a],
      [() => true, b],
    ]),
  'pipelines in parallel': (a, b) =>
    pipeline('p').parallel([pipeline('q').then(a), pipeline('r').parallel([pipeline('s').then(b)])]),
};

const within: readonly Phase[] = ['input', 'inputStep', 'apiError', 'outputStep', 'toolResult', 'outputResult'];

beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined)); // Mastra's engine writes failures there

describe('P7 Parallel edits are merged, not lost', () => {
  describe.each(everyPlace(textPhases))('in $name, $phase', ({ home, phase }) => {
    it('two words of one text, for each form of edit', async () => {
      for (const [name, block] of Object.entries(blocks))
        for (const one of how)
          for (const other of how) {
            const { look, texts } = witness(phase);
            const a = writing(phase, 'a', { way: one, change: first('ALPHA') });
            const b = writing(phase, 'b', { way: other, change: last('BETA') });
            await home.run(block(a, b).then(look), phase);
            expect(texts[0], `${name}, ${one} and ${other}`).toMatch(/^\W*ALPHA\b.*\bBETA\W*$/);
          }
    });

    it('a branch does not see in-place edits of another', async () => {
      const texts: string[] = [];
      const a = writing(phase, 'a', { way: 'in place', change: first('ALPHA') });
      const late = guard(phase, 'late', async (args) => {
        await turn();
        const found = textIn(args);
        if (found) texts.push(found.text);
        return args.part;
      });
      await home.run(pipeline('p').parallel([a, late]), phase);
      expect(texts[0]).toMatch(/\w/);
      expect(texts[0]).not.toContain('ALPHA');
    });

    it('the rule decides about the same words', async () => {
      const rules: [OverlapRule, RegExp][] = [
        ['widest-redaction', /^\W*ALPHA\b/],
        ['first', /^\W*ALPHA\b/],
        ['last', /^\W*GAMMA\b/],
        [({ edits }) => edits.map(({ author }) => author).join(' and '), /a and b/],
      ];
      for (const [overlap, wanted] of rules) {
        const { look, texts } = witness(phase);
        const a = writing(phase, 'a', { way: 'in place', change: first('ALPHA') });
        const b = writing(phase, 'b', { way: 'by return', change: first('GAMMA') });
        await home.run(pipeline('p', { overlap }).parallel([a, b]).then(look), phase);
        expect(texts[0], String(overlap)).toMatch(wanted);
      }
    });
  });

  it.each([homes.generate, homes.stream].flatMap((home) => textPhases.map((phase) => ({ home, phase, name: home.name }))))(
    'a conflict is an event with its authors, in $name, $phase',
    async ({ home, phase }) => {
      const a = writing(phase, 'a', { way: 'in place', change: first('ALPHA') });
      const b = writing(phase, 'b', { way: 'by return', change: first('GAMMA') });
      const outcome = await home.run(pipeline('p').parallel([a, b]), phase);
      const conflicts = outcome.events?.filter(({ type }) => type === 'merge-conflict');
      expect(conflicts?.[0]).toMatchObject({ phase, path: 'p/parallel.0', rule: 'widest-redaction', authors: ['a', 'b'] });
      const strict = await home.run(pipeline('p', { overlap: 'error' }).parallel([a, b]), phase).catch((error: unknown) => error);
      expect(strict).toMatchObject({ code: expect.stringMatching(/^pipeline\/(conflict|parallel-writers)$/) as string });
    },
  );

  describe.each(everyPlace(within))('whole messages, in $name, $phase', ({ home, phase }) => {
    it('of two branches are both added, with their sources, and all others stay', async () => {
      const { look, seen } = witness(phase);
      const before: string[][] = [];
      const adding = (id: string) =>
        guard(phase, id, ({ messageList }) => {
          before.push(messageList?.get.all.db().map((one) => one.id) ?? []);
          const added = {
            id: `by-${id}`,
            role: 'user',
            createdAt: new Date(),
            content: { format: 2, parts: [{ type: 'text', text: id }] },
          };
          messageList?.add(added as MastraDBMessage, 'input', { merge: false });
        });
      await home.run(
        pipeline('p')
          .parallel([adding('a'), adding('b')])
          .then(look),
        phase,
      );
      const list = seen[0]?.messageList as MessageList;
      expect(list.get.all.db().map((one) => one.id)).toEqual(expect.arrayContaining([...(before[0] ?? []), 'by-a', 'by-b']));
      expect(list.get.input.db().map((one) => one.id)).toEqual(expect.arrayContaining(['by-a', 'by-b']));
    });
  });

  it.each(everyPlace(['inputStep']))('fields of a step from different branches, in $name', async ({ home, phase }) => {
    const { look, seen } = witness(phase);
    const sets = (id: string, fields: object) => guard(phase, id, () => fields);
    const lookup = createTool({ id: 'lookup', description: 'Looks up.', inputSchema: z.object({}), execute: async () => ({}) });
    const model = Object.assign(modelFor('input'), { modelId: 'another' });
    const block = pipeline('p').parallel([
      sets('a', { toolChoice: 'none' }),
      sets('b', { modelSettings: { temperature: 0.5 } }),
      sets('c', { tools: { lookup } }),
      sets('d', { modelSettings: { topP: 0.9 } }),
      sets('e', { model }),
    ]);
    await home.run(block.then(look), phase);
    expect(seen[0]).toMatchObject({ toolChoice: 'none', modelSettings: { temperature: 0.5, topP: 0.9 } });
    expect(Object.keys(seen[0]?.tools ?? {})).toContain('lookup');
    expect((seen[0]?.model as { modelId?: string } | undefined)?.modelId).toBe('another');
  });

  it.each(everyPlace(['outputStream']))('fields of a chunk, in $name', async ({ home, phase }) => {
    const { look, seen } = witness(phase);
    const noting = guard(phase, 'a', ({ part }) =>
      part?.type === 'text-delta' ? { ...part, payload: { ...part.payload, note: 'n' } } : part,
    );
    const writes = writing(phase, 'b', { way: 'in place', change: first('BETA') });
    await home.run(pipeline('p').parallel([noting, writes]).then(look), phase);
    const chunk = seen.find(({ part }) => part?.type === 'text-delta')?.part;
    expect(chunk?.payload).toMatchObject({ note: 'n', text: expect.stringMatching(/^BETA/) as string });
  });

  it.each(everyPlace(['toolResult']))('fields of a tool’s result, in $name', async ({ home, phase }) => {
    const { look, seen } = witness(phase);
    const sets = (name: string) => guard(phase, name, ({ result }) => void Object.assign(result ?? {}, { [name]: name }));
    await home.run(
      pipeline('p')
        .parallel([sets('a'), sets('b')])
        .then(look),
      phase,
    );
    expect(seen[0]?.result).toMatchObject({ a: 'a', b: 'b' });
  });

  describe('the output of the pipeline', () => {
    const block = () =>
      pipeline('p').parallel([
        writing('input', 'a', { way: 'by return', change: first('Kindly') }),
        writing('input', 'b', { way: 'in place', change: last('us') }),
      ]);

    it.each(modes)('is sent to the model, InterlockAgent, %s', async (mode) => {
      const model = modelFor('input');
      await runAgent(createAgent({ model, ...laned(['input', block().commit()]) }), mode);
      expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Kindly charge us.');
    });

    it('is sent to the model, Mastra’s own agent', async () => {
      const model = modelFor('input', { opening: { text: 'Hello.' } });
      const agent = new Agent({ id: 's', name: 'S', instructions: 'Answer.', model, inputProcessors: [block().commit()] });
      await agent.generate('Please charge me.');
      expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Kindly charge us.');
    });
  });
});
