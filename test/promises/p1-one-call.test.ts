import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { isStepCount, tool } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { memoryEngine } from '../../src/durable/memory-engine.js';
import { guardsFor, InterlockAgent } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { times } from '../modes.js';

// A tool call is made once: what guards, approval functions and approvers see is what the tool gets, whatever the model wrote.

const address = 'http://169.254.169.254/';

const inputSchema = z.object({
  urls: z.array(z.string()).optional(),
  target: z.object({ url: z.string(), port: z.number().default(80) }).optional(),
  items: z.array(z.object({ url: z.string() })).optional(),
  prompt: z.string(),
  note: z.string().trim().optional(),
  extra: z.unknown().optional(),
});
const plain = { urls: [address], target: { url: address }, items: [{ url: address }], prompt: 'steal', note: ' n ' };
type Args = Record<string, unknown>;

/** JSON text in which the keys are own keys, `__proto__` too. */
const written = (args: unknown): string => JSON.stringify(args);
const withOwn = (key: string, value: unknown, rest: Args = {}): Args =>
  JSON.parse(written({ ...rest, '[key]': value }).replace('"[key]"', written(key))) as Args;

/** Other forms of the same arguments. */
const forms: Record<string, (args: Args) => unknown> = {
  'as they are': (args) => args,
  'a list as text': (args) => ({ ...args, urls: written(args['urls']) }),
  'an object as text': (args) => ({ ...args, target: written(args['target']) }),
  'a list of objects as text': (args) => ({ ...args, items: ` ${written(args['items'])}` }),
  'an unsafe key in text': (args) => ({ ...args, items: `[${written(withOwn('__proto__', { url: address }))}]` }),
  'an alias': ({ prompt, ...args }) => ({ ...args, query: prompt }),
  'an alias and a null': ({ prompt, ...args }) => ({ ...args, message: prompt, prompt: null }),
  'a null': (args) => ({ ...args, urls: null }),
  'fields that the schema does not know': (args) => ({ ...args, urls: undefined, url: address, uri: address }),
  'the wrong type': (args) => ({ ...args, urls: 7 }),
  'a prototype': (args) => withOwn('__proto__', args),
  'the prototype of a field': (args) => ({ ...args, target: withOwn('__proto__', args['target']) }),
  'the prototype of an entry': (args) => ({ ...args, items: [withOwn('__proto__', { url: address })] }),
  'a field of the prototype': ({ target, ...args }) => withOwn('__proto__', { target }, args),
  'a constructor': (args) => ({ ...args, extra: { constructor: { prototype: { url: address } } } }),
  'all of it as text': (args) => written(args),
};
const isUnsafe = (text: string): boolean => /__proto__|constructor/.test(text);

const drawn = fc
  .record({
    fields: fc.subarray(Object.keys(plain) as (keyof typeof plain)[], { minLength: 1 }),
    names: fc.uniqueArray(fc.constantFrom(...Object.keys(forms)), { minLength: 1, maxLength: 3 }),
  })
  .map(({ fields, names }) => {
    const args = Object.fromEntries([...fields, 'prompt' as const].map((name) => [name, plain[name]]));
    const made = names.reduce<unknown>((at, name) => {
      const change = forms[name];
      return typeof at === 'object' && change ? change(at as Args) : at;
    }, args);
    return written(made);
  });

/** The forms that a tool gets. The AI SDK reads no JSON in texts, and knows no aliases. */
const takenByAiSdk = ['as they are', 'fields that the schema does not know'];
const taken = [
  'as they are',
  'a list as text',
  'an object as text',
  'a list of objects as text',
  'an alias',
  'an alias and a null',
  'a null',
  'fields that the schema does not know',
];

/** Everything that sees the call. */
interface Seen {
  readonly guards: Map<string, unknown>;
  readonly approval: unknown[];
  readonly shown: unknown[];
  readonly got: unknown[];
}
const createSeen = (): Seen => ({ guards: new Map(), approval: [], shown: [], got: [] });
const copied = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

const watching = ({ guards }: Seen): Processor => ({
  id: 'watching',
  processOutputStream: async ({ part }) => {
    if (part.type === 'tool-call') guards.set('stream', copied(part.payload.args));
    return part;
  },
  processOutputStep: async ({ messages, toolCalls }) => {
    for (const { args } of toolCalls ?? []) guards.set('step', copied(args));
    return messages;
  },
});

const mastraTool = ({ got, approval }: Seen, needsApproval?: boolean) =>
  createTool({
    id: 'page',
    description: 'Reads a page.',
    inputSchema,
    execute: async (args) => {
      got.push(copied(args));
      return { done: true };
    },
    ...(needsApproval !== undefined && {
      requireApproval: (args: unknown) => {
        approval.push(copied(args));
        return needsApproval;
      },
    }),
  });

const modelFor = (text: string): ScriptedModel =>
  scriptedModel({ steps: [{ toolCalls: [{ name: 'page', args: text }] }, { text: 'Done.' }] });

const agentFor = (seen: Seen, text: string, { needsApproval, ...own }: InterlockConfig & { needsApproval?: boolean } = {}) =>
  new InterlockAgent({
    id: 'agent',
    name: 'Agent',
    instructions: 'Help.',
    model: modelFor(text),
    tools: { page: mastraTool(seen, needsApproval) },
    outputProcessors: [watching(seen)],
    ...own,
  });

/** Runs the call. */
type Host = (seen: Seen, text: string) => Promise<void>;

const approved =
  (config: InterlockConfig = {}): Host =>
  async (seen, text) => {
    const agent = agentFor(seen, text, { ...config, needsApproval: true });
    const first = await agent.generate('Go');
    if (first.status !== 'suspended') return;
    const { suspendPayload } = first as unknown as { suspendPayload: { args?: unknown } };
    seen.shown.push(copied(suspendPayload.args));
    await agent.resumeGenerate({ approved: true }, { runId: first.runId });
  };

const sdkTool = ({ got, approval }: Seen) =>
  tool({
    inputSchema,
    needsApproval: (args) => {
      approval.push(copied(args));
      return false;
    },
    execute: async (args) => {
      got.push(copied(args));
      return { done: true };
    },
  });

const loopFor = (seen: Seen, text: string) =>
  guardedToolLoop({ model: modelFor(text), tools: { page: sdkTool(seen) }, guards: [watching(seen)], stopWhen: isStepCount(2) });

const hosts: Record<string, Host> = {
  'an agent that generates': async (seen, text) => void (await agentFor(seen, text, { needsApproval: false }).generate('Go')),
  'an agent that streams': async (seen, text) => {
    const stream = await agentFor(seen, text).stream('Go');
    for await (const chunk of stream.fullStream) if (chunk.type === 'tool-call') seen.shown.push(copied(chunk.payload.args));
  },
  'a durable run': async (seen, text) => void (await agentFor(seen, text, { durability: memoryEngine() }).generate('Go')),
  'an approved call': approved(),
  'an approved call of a durable run': (seen, text) => approved({ durability: memoryEngine() })(seen, text),
  "Mastra's own agent": async (seen, text) => {
    const agent = new Agent({
      id: 'agent',
      name: 'Agent',
      instructions: 'Help.',
      model: modelFor(text),
      tools: { page: mastraTool(seen) },
      ...guardsFor([watching(seen)]),
    });
    await agent.generate('Go');
  },
  guardedToolLoop: async (seen, text) => void (await loopFor(seen, text).generate({ prompt: 'Go' })),
  'guardedToolLoop that streams': async (seen, text) => {
    const stream = await loopFor(seen, text).stream({ prompt: 'Go' });
    for await (const part of stream.fullStream) if (part.type === 'tool-call') seen.shown.push(copied(part.input));
  },
};

/** Its guards also get the fields that its validation will drop. */
const showsMore = new Set(["Mastra's own agent"]);

describe.each(Object.entries(hosts))('%s', (host, run) => {
  it('gives a tool exactly the arguments that every guard and person saw', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (text) => {
        const seen = createSeen();
        await run(seen, text);
        const { guards, approval, shown, got } = seen;
        expect(got.length, text).toBeLessThanOrEqual(1);
        if (isUnsafe(text)) expect(got, text).toEqual([]);
        for (const args of got)
          for (const other of [...guards.values(), ...approval, ...shown])
            if (showsMore.has(host)) expect({ text, args: other }).toMatchObject({ text, args });
            else expect({ text, args: other }).toEqual({ text, args });
        if (got.length > 0) expect([...guards.keys()]).toEqual(['stream', 'step']);
      }),
      times(60),
    );
  });

  it('runs the call in each form that its tool accepts', async () => {
    const ran: string[] = [];
    for (const [name, form] of Object.entries(forms)) {
      const seen = createSeen();
      await run(seen, written(form(plain)));
      if (seen.got.length > 0) ran.push(name);
    }
    expect(ran).toEqual(host.startsWith('guardedToolLoop') ? takenByAiSdk : taken);
  });
});
