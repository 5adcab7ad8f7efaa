/** The engine of the live page, in a browser as in Node: the package's guards around a scripted model. */
import { TripwireError } from '../../src/ai-sdk/stop-errors.js';
import { withGuards } from '../../src/ai-sdk/with-guards.js';
import type { Guards } from '../../src/ai-sdk/run.js';
import { scriptedModel } from '../../src/testing/scripted-model.js';
import * as scope from '../../workflows/guards/index.js';

/** A list, because a promise cannot hold a pipeline. */
export type GuardList = Extract<Guards, readonly unknown[]>;

/** Makes the guards of an expression, in which every name of `mastra-interlock/guards` is known. */
export const compileGuards = async (code: string): Promise<GuardList> => {
  const module = `export default ({ ${Object.keys(scope).join(', ')} }) => (${code}\n);`;
  const made = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`)) as {
    default: (names: typeof scope) => Guards;
  };
  return [made.default(scope)].flat() as GuardList;
};

export interface Call {
  readonly guards: GuardList;
  readonly input: string;
  /** The model's answer, as it comes. */
  readonly pieces: readonly string[];
  /** Between two pieces. Default 0. */
  readonly delayMs?: number;
}

export interface Outcome {
  readonly status: 'success' | 'tripwire' | 'failed';
  /** The text that reached the reader. */
  readonly text: string;
  /** The text at the reader after each piece, and last after the end of the answer. */
  readonly emitted: readonly string[];
  /** Why the run stopped. */
  readonly reason: string;
  readonly verdicts: readonly {
    readonly guard: string;
    readonly phase: string;
    readonly verdict: string;
    readonly times: number;
  }[];
}

/** The parts of a scripted answer that come before its first piece. */
const opening = 3;

const stopOf = (error: unknown): Pick<Outcome, 'status' | 'reason'> => {
  if (TripwireError.isInstance(error)) return { status: 'tripwire', reason: `${error.processorId}: ${error.reason}` };
  return { status: 'failed', reason: error instanceof Error ? error.message : String(error) };
};

/** Runs one call: the input and the answer go through the guards. */
export const play = async ({ guards, input, pieces, delayMs = 0 }: Call): Promise<Outcome> => {
  const counts = new Map<string, number>();
  const model = scriptedModel({ specificationVersion: 'v4', steps: () => ({ text: pieces, delayMs }) });
  const guarded = withGuards(model, guards, {
    hold: 'chunk', // an approved chunk leaves at once
    uncalled: ['inputStep', 'toolResult'], // the model has no tools
    onEvent: (event) => {
      if (event.type !== 'guard') return;
      const key = JSON.stringify([event.processorId, event.phase, event.verdict]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  });
  const emitted = Array.from({ length: pieces.length + 1 }, () => '');
  let stop: Pick<Outcome, 'status' | 'reason'> = { status: 'success', reason: '' };
  try {
    const { stream } = await guarded.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: input }] }] });
    for await (const part of stream) {
      if (part.type === 'error') stop = stopOf(part.error);
      if (part.type === 'text-delta') emitted[Math.min(Math.max(model.pulled - opening - 1, 0), pieces.length)] += part.delta;
    }
  } catch (error) {
    stop = stopOf(error);
  }
  const verdicts = Array.from(counts, ([key, times]) => {
    const [guard = '', phase = '', verdict = ''] = JSON.parse(key) as string[];
    return { guard, phase, verdict, times };
  });
  return { ...stop, text: emitted.join(''), emitted, verdicts };
};

/** The positions at which a text can be cut in two: between its code points. */
export const cutsOf = (text: string): number[] => {
  let at = 0;
  return Array.from(text, (point) => (at += point.length)).slice(0, -1);
};

/** Cuts the answer in two at each place in turn, and says what the reader got. */
export const playEveryCut = async function* (guards: GuardList, input: string, answer: string) {
  for (const at of cutsOf(answer)) {
    const { status, text } = await play({ guards, input, pieces: [answer.slice(0, at), answer.slice(at)] });
    yield { at, output: status === 'success' ? text : `${text}[${status}]` };
  }
};
