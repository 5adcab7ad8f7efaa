import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { Agent, guard } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { shippedFiles } from './shape.js';

/** How often each function of the library is called, by file and by its place in the file. */
type Calls = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** The calls of a run, counted by V8 in the third one, when everything is loaded and cached. */
const callsOf = async (run: () => Promise<unknown>): Promise<Calls> => {
  await run();
  await run();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const shipped = new Set(shippedFiles.map(({ path }) => path));
  const files = result.flatMap(({ url, functions }) => {
    if (!url.startsWith('file:')) return [];
    const path = relative(process.cwd(), fileURLToPath(url)).replaceAll('\\', '/');
    const counts = functions.flatMap(({ ranges: [whole] }) =>
      whole && whole.count > 0 ? [[whole.startOffset, whole.count] as const] : [],
    );
    return shipped.has(path) && counts.length > 0 ? [[path, new Map(counts)] as const] : [];
  });
  return new Map(files);
};

/** The files with a function that runs more often, at least once for every second one of `events` more events. */
const filesMore = (less: Calls, more: Calls, events = 1): ReadonlySet<string> =>
  new Set(
    [...more].flatMap(([path, counts]) =>
      [...counts].some(([place, count]) => count - (less.get(path)?.get(place) ?? 0) >= events / 2) ? [path] : [],
    ),
  );

type Model = Parameters<typeof scriptedModel>[0]['steps'];

const agentWith = (steps: Model, config: object = {}) =>
  new Agent({ id: 'measured', name: 'Measured', instructions: 'Answer.', model: scriptedModel({ steps }), ...config });

const saying =
  (text: readonly string[]): Model =>
  () => ({ text: [...text] });

/** Reads an answer to its end. Throws if it contains no chunk of a type, so that no other run is measured. */
const reading = (agent: Agent, expected: string) => async (): Promise<void> => {
  const types = new Set<string>();
  for await (const { type } of (await agent.stream('What color is the sky?')).fullStream) types.add(type);
  if (!types.has(expected) || types.has('error')) throw new Error(`A measured run gave ${[...types].join(', ')}.`);
};

const counted = (steps: Model, config: object = {}, expected = 'text-delta'): Promise<Calls> =>
  callsOf(reading(agentWith(steps, config), expected));

interface StepArgs {
  readonly messages: readonly { readonly content: { readonly parts: readonly object[] } }[];
  readonly retryCount: number;
  abort(reason: string, options?: object): never;
}

/** A guard of a whole step. */
const ofStep = (processOutputStep: (args: StepArgs) => unknown) => ({ outputProcessors: [{ id: 'step', processOutputStep }] });

/** A guard of the stream. */
const ofStream = (processOutputStream: (args: { part: { type: string }; abort(reason: string): never }) => unknown) => ({
  outputProcessors: [{ id: 'stream', processOutputStream: async (args: never) => processOutputStream(args) }],
});

const sentenceGuard = {
  outputProcessors: [guard({ id: 'sentences', processOutputStream: async ({ part }) => part }, { window: 'sentence' })],
};

const edited = ({ messages }: StepArgs) =>
  messages.map((message) => ({
    ...message,
    content: { ...message.content, parts: message.content.parts.map((part) => ('text' in part ? { ...part, text: 'X' } : part)) },
  }));

const addTool = (options: object = {}) =>
  createTool({
    id: 'add',
    description: 'Adds.',
    inputSchema: z.object({ a: z.number() }),
    execute: async ({ a }) => ({ a }),
    ...options,
  });

const addSteps = [{ toolCalls: [{ name: 'add', args: { a: 1 } }] }, { text: ['Done.'] }];

/** The files that run for one more step: a call of a tool, its result, and the next call of the model. */
const stepFiles = async (): Promise<ReadonlySet<string>> => {
  const agent = { ...ofStep(({ messages }) => messages), tools: { add: addTool() } };
  let calls = 0;
  const alternating: Model = () => addSteps[calls++ % addSteps.length] ?? {};
  return filesMore(await counted(saying(['Blue.']), agent), await counted(alternating, agent, 'tool-result'));
};

/** A call that a person approves, or only its suspension. */
const approval = (isAnswered: boolean) => async (): Promise<void> => {
  const agent = agentWith(addSteps, { tools: { add: addTool({ requireApproval: true }) } });
  const { runId, fullStream } = await agent.stream('Add.');
  for await (const _ of fullStream);
  if (!isAnswered) return;
  const { text } = await (await agent.approveToolCall({ runId })).getFullOutput();
  if (text !== 'Done.') throw new Error(`A measured resumption gave ${text}.`);
};

/** The files of the library that take part in an event: what a maintainer reads. */
export const eventFigures = async () => {
  const sentences = (count: number) => saying(Array.from({ length: count }, () => 'This is a sentence. '));
  const short = await counted(sentences(10), sentenceGuard);
  const long = await counted(sentences(60), sentenceGuard);
  const one = saying(['Blue.']);
  const streamed = await counted(
    one,
    ofStream(({ part }) => part),
  );
  const passed = await counted(
    one,
    ofStep(({ messages }) => messages),
  );
  const retry = {
    ...ofStep(({ retryCount, abort, messages }) => (retryCount < 1 ? abort('Again.', { retry: true }) : messages)),
  };
  const block = { inputProcessors: [{ id: 'block', processInput: ({ abort }: StepArgs) => abort('Blocked.') }] };
  const step = await stepFiles();
  const edit = filesMore(passed, await counted(one, ofStep(edited)));
  const again = filesMore(passed, await counted(one, { ...retry, maxProcessorRetries: 1 }));
  const resumed = filesMore(await callsOf(approval(false)), await callsOf(approval(true)));
  const notOfStep = (files: ReadonlySet<string>): number => [...files].filter((path) => !step.has(path)).length;
  return {
    'files that run for a delta with a sentence guard': filesMore(short, long, 50).size,
    'files that run for a step': step.size,
    'more files for a tripwire': filesMore(
      streamed,
      await counted(
        one,
        ofStream(({ part, abort }) => (part.type === 'text-delta' ? abort('No.') : part)),
        'tripwire',
      ),
    ).size,
    'more files for a late edit': edit.size,
    'files of a late edit that a step does not run': notOfStep(edit),
    'more files for a retry': again.size,
    'files of a retry that a step does not run': notOfStep(again),
    'more files for a resumption': resumed.size,
    'files of a resumption that a step does not run': notOfStep(resumed),
    'files that run for a guarded sentence': (await counted(saying(['The sky is blue.']), sentenceGuard)).size,
    'files that run for a blocked input': (await counted(one, block, 'tripwire')).size,
  };
};
