import { getEventListeners } from 'node:events';

import { RequestContext } from '@mastra/core/request-context';

import type { InterlockAgent, InterlockCallOptions, InterlockStream, RunEvent } from '../../src/index.js';
import { lifeKey, type Life } from './agents.js';
import type { Fate } from './fate.js';

/** The outcome of one run. */
export interface Observations {
  readonly status: string;
  /** Its faults: left open, reported twice or reported differently; empty if all is well. */
  readonly complaints: readonly string[];
}

/** Longer than any run takes, even on a busy machine. */
const longestMs = 60_000;

/** The shared environment of callers. */
export interface World {
  readonly agents: readonly InterlockAgent[];
  /** The signal of a server's shutdown: every run with it receives it. */
  readonly shared: AbortSignal;
}

/** One call of an agent, by a caller that follows its fate. */
export const live = async (fate: Fate, world: World): Promise<Observations> => {
  const complaints: string[] = [];
  const own = new AbortController();
  const events: RunEvent[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const patience = fate.patienceMs === undefined ? undefined : setTimeout(() => own.abort(), fate.patienceMs);
  const options: InterlockCallOptions = {
    requestContext: new RequestContext([[lifeKey, { fate, done: new Set() } satisfies Life]]) as never, // of any shape
    abortSignal: signalOf(fate, { own: own.signal, shared: world.shared }),
    hold: fate.hold,
    maxProcessorRetries: fate.maxProcessorRetries,
    onRunEvent: (event) => {
      if (events.push(event) - 1 === fate.abortAt) own.abort(new Error('enough'));
      if (event.type === 'run-finish') finish();
    },
  };
  const agent = world.agents[fate.agent] as InterlockAgent; // one of them
  const called = fate.reader === 'generate' ? generated(agent, options) : streamed({ agent, fate, options, finished });
  const ended = await within(longestMs, Promise.all([called, finished]));
  clearTimeout(patience);
  complaints.push(...(ended?.[0] ?? ['did not end']));
  complaints.push(...oneEnd(events));
  const listeners = getEventListeners(own.signal, 'abort').length;
  if (listeners > 0 && fate.signal === 'own') complaints.push(`${listeners} listeners stay on the caller's signal`);
  return { status: statusOf(events), complaints };
};

/** The value if it settles in time, else undefined. */
const within = async <T>(ms: number, value: Promise<T>): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
};

const signalOf = ({ signal }: Fate, { own, shared }: Record<'own' | 'shared', AbortSignal>): AbortSignal | undefined => {
  switch (signal) {
    case 'own':
      return own;
    case 'shared':
      return shared;
    case 'both':
      return AbortSignal.any([own, shared]);
    case 'none':
      return undefined;
    default:
      return signal satisfies never;
  }
};

const statusOf = (events: readonly RunEvent[]): string => {
  const last = events.at(-1);
  return last?.type === 'run-finish' ? last.status : 'unfinished';
};

const oneEnd = (events: readonly RunEvent[]): string[] => {
  const ends = events.filter(({ type }) => type === 'run-finish').length;
  return [
    ...(ends === 1 ? [] : [`${ends} events tell its end`]),
    ...(events.every(({ seq }, index) => seq === index) ? [] : ['its events are not numbered in order']),
  ];
};

const generated = async (agent: InterlockAgent, options: InterlockCallOptions): Promise<string[]> => {
  await agent.generate('Please act.', options).catch(() => undefined); // a failed run rejects
  return [];
};

interface Reading {
  readonly agent: InterlockAgent;
  readonly fate: Fate;
  readonly options: InterlockCallOptions;
  readonly finished: Promise<void>;
}

const streamed = async ({ agent, fate, options, finished }: Reading): Promise<string[]> => {
  const stream = await agent.stream('Please act.', options);
  const complaints = await readers[fate.reader as Exclude<Fate['reader'], 'generate'>](stream, { ...fate, finished });
  await finished;
  const settled = await Promise.allSettled([
    stream.text,
    stream.steps,
    stream.usage,
    stream.finishReason,
    stream.getFullOutput(),
  ]);
  const kinds = [...new Set(settled.map(({ status }) => status))].join();
  const expected = stream.status === 'failed' ? 'rejected' : 'fulfilled';
  return kinds === expected ? complaints : [...complaints, `its promises are ${kinds}, and it is ${stream.status}`];
};

type Read = (stream: InterlockStream, how: Pick<Fate, 'after'> & Pick<Reading, 'finished'>) => Promise<string[]>;

const all = async (stream: InterlockStream): Promise<string[]> => {
  const types: string[] = [];
  for await (const { type } of stream.fullStream) types.push(type);
  const ends = types.filter((type) => type === 'finish').length;
  return ends === 1 && types.at(-1) === 'finish' ? [] : [`${ends} chunks finish its stream, which ends with ${types.at(-1)}`];
};

const peek = async (stream: InterlockStream, after: number) => {
  const reader = stream.fullStream.getReader();
  for (let count = 0; count < after; count += 1) if ((await reader.read()).done) break;
  return reader;
};

const readers: Record<Exclude<Fate['reader'], 'generate'>, Read> = {
  all,
  twice: async (stream) => (await Promise.all([all(stream), all(stream)])).flat(),
  late: async (stream) => {
    await stream.consumeStream();
    return all(stream);
  },
  nobody: async (stream) => {
    await stream.consumeStream();
    return [];
  },
  'walks-away': async (stream, { after }) => {
    await (await peek(stream, after)).cancel(new Error('gone'));
    return [];
  },
  'breaks-off': async (stream, { after }) => {
    let count = 0;
    for await (const _ of stream.textStream) if ((count += 1) > after) break;
    return [];
  },
  // Holds its reader and reads no more of it until the caller cancels; the rest must then be there, and the stream closed.
  peeks: async (stream, { after, finished }) => {
    const reader = await peek(stream, after);
    await finished;
    while (!(await reader.read()).done);
    return [];
  },
  ignores: async (_stream, { finished }) => {
    await finished;
    return [];
  },
};
