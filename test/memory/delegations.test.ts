import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { MASTRA_RESOURCE_ID_KEY, MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { scriptedModel, type ScriptedCall, type ScriptedModel } from '../../src/testing/index.js';
import { isDeep, isWhole } from '../modes.js';
import { toolResultsIn } from '../promises/support.js';

const kinds = ['interlock', 'stock'] as const;
type Kind = (typeof kinds)[number];

const entrances = ['generate', 'stream', 'durable generate', 'durable stream', 'resumed generate', 'resumed stream'] as const;

/** One place where users could meet in a sub-agent's memory. */
interface Case {
  readonly supervisor: Kind;
  readonly entrance: (typeof entrances)[number];
  /** Which agents have a memory: all the same, only the supervisor, or only the sub-agent. */
  readonly memory: 'own' | 'inherited' | 'supervisor without';
  readonly leaf: Kind;
  /** An agent between the supervisor and the leaf. */
  readonly middle: Kind | undefined;
  /** The place of the caller's thread and resource. */
  readonly ids: 'options' | 'request context';
  readonly isRegistered: boolean;
  /** The model's arguments of a delegation. */
  readonly writes: object;
}

const otherUser = { threadId: 'thread of ada', resourceId: 'ada' };
const writings = [{ prompt: 'Go.' }, { prompt: 'Go.', ...otherUser }, { query: 'Go.', ...otherUser }];

const product = <T extends object, K extends string, V>(rows: readonly T[], name: K, values: readonly V[]) =>
  rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }) as T & Record<K, V>));

/** All cases of an entrance. In short runs what the entrances do not distinguish takes turns. */
const casesOf = (entrance: Case['entrance'], supervisor: Kind): Case[] => {
  const memories = product([{ supervisor, entrance }], 'memory', ['own', 'inherited', 'supervisor without'] as const);
  const chains = product(product(memories, 'leaf', kinds), 'middle', [undefined, ...kinds]);
  const idKinds = ['options', 'request context'] as const;
  const all = product(product(product(chains, 'ids', idKinds), 'isRegistered', [false, true]), 'writes', writings);
  const ours = all.filter(({ middle, writes }) => middle !== 'stock' || 'prompt' in writes); // Mastra's own loop takes ids with `query`
  return isDeep ? ours : ours.filter((_, at) => at % (isWhole ? 17 : 53) === 0);
};

const make = (kind: Kind, config: object): Agent =>
  kind === 'interlock' ? new InterlockAgent(config as never) : new Agent(config as never); // options of both

const delegating = (args: object) =>
  scriptedModel({
    steps: (call) => (toolResultsIn(call) === 0 ? { toolCalls: [{ name: 'agent-child', args }] } : { text: 'Done.' }),
  });

/** A supervisor, and the model of the leaf: it notes its user's words, and later answers with what it knows. */
const build = (one: Case): { supervisor: Agent; leaf: ScriptedModel; store: InMemoryStore } => {
  const store = new InMemoryStore();
  const remembers = () => ({ memory: new Memory({ storage: store, options: { workingMemory: { enabled: true } } }) });
  const inSub = one.memory === 'inherited' ? {} : remembers();
  const leaf = scriptedModel({
    steps: (call) => {
      const isNoted = toolResultsIn(call) > 0;
      const memory = `- Card of call ${call.index}`;
      return isNoted ? { text: 'Noted.' } : { toolCalls: [{ name: 'updateWorkingMemory', args: { memory } }] };
    },
  });
  const base = (id: string, model: unknown) => ({ id, name: id, description: id, instructions: 'Help.', model });
  const child = make(one.leaf, { ...base('leaf', leaf), ...inSub });
  const below = one.middle ? make(one.middle, { ...base('middle', delegating(one.writes)), agents: { child }, ...inSub }) : child;
  const supervisor = make(one.supervisor, {
    ...base('supervisor', delegating(one.writes)),
    agents: { child: below },
    ...(one.memory !== 'supervisor without' && remembers()),
    ...(one.entrance.startsWith('durable') && { durability: memoryEngine() }),
  });
  if (!one.isRegistered && one.supervisor === 'interlock') return { supervisor, leaf, store };
  const mastra = new Mastra({ agents: { supervisor }, storage: store, logger: false }); // Mastra's own loop needs one
  return { supervisor: mastra.getAgent('supervisor'), leaf, store };
};

const ask = async (supervisor: Agent, one: Case, { thread, resource }: { thread: string; resource: string }) => {
  const requestContext = new RequestContext();
  if (one.ids === 'request context') {
    requestContext.set(MASTRA_THREAD_ID_KEY, thread);
    requestContext.set(MASTRA_RESOURCE_ID_KEY, resource);
  }
  const isResumed = one.entrance.startsWith('resumed');
  const requireToolApproval = isResumed && (({ toolName }: { toolName: string }) => toolName === 'agent-child');
  const options = {
    requestContext,
    ...(one.ids === 'options' && { memory: { thread, resource } }),
    ...(requireToolApproval && { requireToolApproval }),
  } as object;
  const isStream = one.entrance.endsWith('stream');
  const start = () =>
    isStream ? supervisor.stream('Go.', options).then((stream) => stream.getFullOutput()) : supervisor.generate('Go.', options);
  let result = await start();
  for (let runs = 0; isResumed && result.finishReason === 'suspended' && runs < 5; runs += 1) {
    const given = { runId: result.runId ?? '', requestContext };
    result = isStream
      ? await supervisor.resumeStream({ approved: true }, given).then((stream) => stream.getFullOutput())
      : await supervisor.resumeGenerate({ approved: true }, given);
  }
  if (result.error) throw result.error;
};

/** The system messages of a call: working memory is one. */
const notesIn = (call: ScriptedCall | undefined): string => JSON.stringify(call?.prompt.filter(({ role }) => role === 'system'));

/** Two users call in turn: whether one sees the other's notes, and the first its own in its next thread. */
const observe = async (one: Case) => {
  const { supervisor, leaf, store } = build(one);
  await ask(supervisor, one, { thread: 'thread of ada', resource: 'ada' });
  await ask(supervisor, one, { thread: 'thread of bob', resource: 'bob' });
  await ask(supervisor, one, { thread: 'next thread of ada', resource: 'ada' });
  const [, , bob, , again] = leaf.calls;
  const memory = await store.getStore('memory');
  const { threads } = (await memory?.listThreads({ perPage: false })) ?? { threads: [] };
  return {
    bobSeesAda: notesIn(bob).includes('Card of call'),
    adaKnowsHerself: notesIn(again).includes('Card of call 0'),
    adaSeesBob: notesIn(again).includes('Card of call 2'),
    resources: threads.map(({ resourceId }) => resourceId).toSorted(),
  };
};

/** One thread for each call of each agent, under the user's name and the agents' below. An agent passes on only its own memory. */
const expectedOf = ({ middle, memory }: Case) => {
  const hasLeaf = !middle || memory !== 'inherited';
  const isTwoDeep = middle && memory !== 'inherited';
  const names = [...(memory === 'supervisor without' ? [] : ['']), '-child', ...(isTwoDeep ? ['-child-child'] : [])];
  const resources = names.flatMap((name) => [`ada${name}`, `ada${name}`, `bob${name}`]);
  return { bobSeesAda: false, adaKnowsHerself: hasLeaf, adaSeesBob: false, resources: resources.toSorted() };
};

/** The cases that differ from what is expected. */
const failuresIn = async (cases: readonly Case[]): Promise<object[]> => {
  const failures: object[] = [];
  for (const one of cases) {
    const seen: object = await observe(one).catch((error: unknown) => ({ error }));
    if (JSON.stringify(seen) !== JSON.stringify(expectedOf(one))) failures.push({ ...one, seen });
  }
  return failures;
};

const bob = { memory: { thread: 'thread of bob', resource: 'bob' } };

describe('users never meet in the memory of a sub-agent', () => {
  it.each(entrances)('%s of an InterlockAgent', async (entrance) => {
    expect(await failuresIn(casesOf(entrance, 'interlock'))).toEqual([]);
  });

  it.each(['generate', 'stream'] as const)('as in Mastra’s own Agent: %s', async (entrance) => {
    const cases = casesOf(entrance, 'stock').filter(({ writes }) => 'prompt' in writes);
    expect(await failuresIn(cases)).toEqual([]);
  });

  it.each(kinds)('hooks of delegations get the thread and resource of the run: %s', async (kind) => {
    const child = make(kind, { id: 'leaf', name: 'leaf', description: 'x', instructions: 'x', model: delegating({}) });
    const model = delegating({ prompt: 'Go.', ...otherUser });
    const supervisor = make(kind, { id: 'sup', name: 'sup', instructions: 'x', model, agents: { child } });
    const seen: object[] = [];
    const onDelegationStart = ({ params: { threadId, resourceId } }: { params: Record<string, unknown> }) => {
      seen.push({ threadId, resourceId });
      return { proceed: false };
    };
    await supervisor.generate('Go.', { ...bob, delegation: { onDelegationStart } } as object);
    expect(seen).toEqual([{ threadId: 'thread of bob', resourceId: 'bob' }]);
  });

  it('a tool of the application whose name is like a sub-agent’s gets its arguments', async () => {
    const seen: unknown[] = [];
    const child = createTool({
      id: 'agent-child',
      description: 'A desk of human agents.',
      inputSchema: z.object({ query: z.string(), threadId: z.string() }),
      execute: async (args) => seen.push(args),
    });
    const model = delegating({ query: 'Go.', threadId: 'ticket' });
    const agent = make('interlock', { id: 'sup', name: 'sup', instructions: 'x', model, tools: { 'agent-child': child } });
    await agent.generate('Go.', bob);
    expect(seen).toEqual([{ query: 'Go.', threadId: 'ticket' }]);
  });
});
