import { setTimeout } from 'node:timers/promises';

import { createTool } from '@mastra/core/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { toolResultsIn } from '../promises/support.js';
import { engineOf, type EngineSpec } from './engine-spec.js';
import { startLink, type Link } from './link.js';
import { sites, type Site } from './sites.js';

interface Read {
  readonly type: string;
  readonly payload?: { readonly id?: string; readonly text?: string; readonly result?: unknown };
  readonly data?: { readonly partIds?: readonly string[] };
  readonly metadata?: { readonly sequence?: number };
}

const chunksOf = async (stream: { readonly fullStream: ReadableStream<object> }): Promise<Read[]> => {
  const chunks: Read[] = [];
  for await (const chunk of stream.fullStream as unknown as AsyncIterable<Read>) chunks.push(chunk);
  return chunks;
};

/** The final state of a screen: words of parts that were not retracted, results of tools, and ends. */
const screenOf = (chunks: readonly Read[]) => {
  const retracted = new Set(chunks.flatMap(({ type, data }) => (type === 'data-interlock-retract' ? (data?.partIds ?? []) : [])));
  const text = chunks.flatMap(({ type, payload }) =>
    type === 'text-delta' && !retracted.has(payload?.id ?? '') ? [payload?.text] : [],
  );
  const count = (wanted: string): number => chunks.filter(({ type }) => type === wanted).length;
  const results = chunks.flatMap(({ type, payload }) => (type === 'tool-result' ? [payload?.result] : []));
  return { text: text.join(''), results, finish: count('finish'), start: count('start') };
};

const moments = ['rejected', 'tool', 'words', 'last'] as const;
type Moment = (typeof moments)[number];

/** An agent whose first answer is rejected. `at` runs at each moment of a run. */
const speaker = (id: string, durability: Engine, hold: 'none' | 'run', at: (moment: Moment) => Promise<void>) => {
  let charges = 0;
  const charge = createTool({
    id: 'charge',
    description: 'Charges.',
    inputSchema: z.object({}),
    execute: async () => {
      charges += 1;
      await at('tool');
      return { receipt: charges };
    },
  });
  const model = scriptedModel({
    steps: async (call) => {
      if (call.index === 0) return { text: ['RUDE ', 'answer'], delayMs: 5 };
      if (toolResultsIn(call) === 0) return { text: 'I charge. ', toolCalls: [{ name: 'charge', args: {} }] };
      await at('words');
      return { text: ['Kind ', 'answer ', 'for ', 'you.'], delayMs: 20 };
    },
  });
  const polite = {
    id: 'polite',
    processOutputStep: async ({
      text,
      abort,
      messages,
    }: {
      text?: string;
      abort: (why: string, how: object) => never;
      messages: never;
    }) => {
      if (text?.includes('RUDE')) {
        await at('rejected');
        abort('mind your words', { retry: true });
      }
      if (text?.includes('you.')) await at('last');
      return messages;
    },
  };
  const config = {
    id,
    name: 'Speaker',
    instructions: 'Speak.',
    model,
    tools: { charge },
    durability,
    hold,
    maxProcessorRetries: 1,
  };
  return { agent: new InterlockAgent({ ...config, outputProcessors: [polite as never] }), charges: () => charges };
};

/** Loses the way to the store, and returns how to get it back. */
type Lose = () => () => void;

const lossesOf = (link: Link): Readonly<Record<string, Lose>> => ({
  cut: () => {
    link.cut();
    return link.mend;
  },
  'lost answers': () => {
    link.deafen();
    return link.mend;
  },
});

/** The engine through a link. */
const linked = async (spec: Exclude<EngineSpec, { kind: 'openworkflow' }>): Promise<{ spec: EngineSpec; link: Link }> => {
  const url = new URL(spec.kind === 'dbos' ? spec.systemDatabaseUrl : spec.ingressUrl);
  const link = await startLink(Number(url.port));
  url.port = String(link.port);
  return { link, spec: spec.kind === 'dbos' ? { ...spec, systemDatabaseUrl: url.href } : { ...spec, ingressUrl: url.href } };
};

describe.each(['restate', 'dbos'] as const)('the way to %s is lost for two seconds', (name) => {
  let site: Site;
  let engine: Engine;
  let way: Awaited<ReturnType<typeof linked>>;
  beforeAll(async () => {
    site = await sites[name]();
    const spec = site.specFor('tests');
    if (spec.kind === 'openworkflow') throw new Error('A file has no link.');
    way = await linked(spec);
    engine = engineOf(way.spec, 3, 20_000);
  });
  afterAll(async () => {
    await engine.close();
    way.link.close();
    await site.close();
  });

  it.each(['none', 'run'] as const)('followers read what happened, and the tool runs once (hold: %s)', async (hold) => {
    const twin = speaker('twin', memoryEngine(), hold, async () => undefined);
    const expected = screenOf(await chunksOf(await twin.agent.stream('Go.', { runId: 'run' })));
    expect(expected.text).toBe('I charge. Kind answer for you.');
    let at: (moment: Moment) => Promise<void> = async () => undefined;
    const wrong: unknown[] = [];
    for (const [loss, lose] of Object.entries(lossesOf(way.link)))
      for (const moment of moments) {
        const id = `${loss} ${moment} ${hold}`.replaceAll(' ', '-');
        const { agent, charges } = speaker(id, engine, hold, (now) => at(now));
        await agent.listRuns();
        at = async (now) => {
          if (now !== moment) return;
          at = async () => undefined;
          const mend = lose();
          void setTimeout(2_000).then(mend);
          await setTimeout(100);
        };
        const { status } = await agent.generate('Go.', { runId: id });
        const whole = await chunksOf(await agent.attach(id, { from: 0 }));
        const middle = whole[Math.floor(whole.length / 2)]?.metadata?.sequence ?? 0;
        const rest = await chunksOf(await agent.attach(id, { from: middle }));
        const found = { status, charges: charges(), ...screenOf(whole), rest: rest.map(({ type }) => type) };
        const right = { status: 'success', charges: 1, ...expected, rest: whole.slice(-rest.length).map(({ type }) => type) };
        if (JSON.stringify(found) !== JSON.stringify(right)) wrong.push({ id, found });
      }
    expect(wrong).toEqual([]);
  });
});
