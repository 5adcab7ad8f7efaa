import type { InterlockConfig } from '../mastra/agent/config.js';
import type { InterlockStream } from '../mastra/agent/run-stream.js';
import type { Pieces } from './cuts.js';
import type { ScriptedStep } from './scripted-parts.js';
import { scriptedModel } from './scripted-model.js';
import { partsOfShape, type StreamShape } from './stream-shapes.js';

/** Guards of the stream in the form of an agent's option: an array of processors, pipelines and workflows, or a single one. */
export type StreamGuards = NonNullable<InterlockConfig['outputProcessors']>;

/** The output of one run. */
export interface CutRun {
  readonly status: string;
  /** The joined words, reasoning and arguments that left, by part. */
  readonly texts: Readonly<Record<string, string>>;
  /** All chunks that left, in order, as JSON. */
  readonly emissions: readonly string[];
}

interface StreamChunk {
  readonly type: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** Chunks around the text have ids of their own, and are not compared. */
const isAround = (id: unknown): boolean => String(id).startsWith('around-');

/** The parts that are compared. */
const compared: Partial<Record<string, (payload: Readonly<Record<string, unknown>>) => [string, unknown]>> = {
  'text-delta': ({ id, text }) => [`text ${String(id)}`, text],
  'reasoning-delta': ({ id, text }) => [`reasoning ${String(id)}`, text],
  'tool-call-delta': ({ toolCallId, argsTextDelta }) => [`told arguments ${String(toolCallId)}`, argsTextDelta],
  'tool-call': ({ toolCallId, args }) => [`arguments ${String(toolCallId)}`, JSON.stringify(args)],
};

/** Runs an answer in these pieces through the guards, one run at a time. */
export type CutRunner = (shape: StreamShape, pieces: Pieces) => Promise<CutRun>;

/**
 * Makes an agent with these guards for repeated runs. A client tool takes the calls, so that no tool runs.
 * Mastra is loaded only here: the kit's models and servers do not need it.
 */
export const createCutRunner = async (guards: StreamGuards): Promise<CutRunner> => {
  const { InterlockAgent } = await import('../mastra/agent/agent.js');
  let step: ScriptedStep<'v2'> = {};
  const agent = new InterlockAgent({
    id: 'cut',
    name: 'cut',
    instructions: '',
    model: scriptedModel({ steps: () => step }),
    outputProcessors: guards,
  });
  const note = { description: 'Takes a note.', inputSchema: { type: 'object', properties: {} } };
  const clientTools = { note } as never; // Mastra types its schema by a library
  return async (shape, pieces) => {
    step = { parts: partsOfShape(shape, pieces) as ScriptedStep<'v2'>['parts'] }; // see partsOfShape
    const tools = shape === 'arguments' && { clientTools }; // Mastra converts its schema in each call
    return readRun(await agent.stream('Go.', { ...tools, maxSteps: 1 }));
  };
};

/** Ids, times and counts are the run's own numbers, which may contain digits of a value by chance. */
const withoutNumbers = (name: string, value: unknown): unknown => (/(^id|Id|At|sage)$/.test(name) ? undefined : value);

const readRun = async (stream: InterlockStream): Promise<CutRun> => {
  const texts: Record<string, string> = {};
  const emissions: string[] = [];
  for await (const chunk of stream.fullStream as AsyncIterable<StreamChunk>) {
    const [key, text] = (chunk.payload && compared[chunk.type]?.(chunk.payload)) ?? [];
    if (key !== undefined && !isAround(chunk.payload?.['id'])) texts[key] = (texts[key] ?? '') + String(text);
    emissions.push(JSON.stringify([chunk.type, chunk.payload], withoutNumbers));
  }
  return { status: stream.status, texts, emissions };
};
