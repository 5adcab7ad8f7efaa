import type { Processor } from '@mastra/core/processors';

import { guard, otherwise, phases, pipeline, type Pipeline, type PipelineStep } from '../../src/index.js';
import { redactor } from '../../workflows/guards/index.js';
import type { Rule, Script } from './script.js';

interface HookArgs {
  abort(reason: string, options?: { retry?: boolean }): never;
  readonly part?: { type: string; payload: { text?: string; args?: unknown; title?: string; result?: unknown } };
  readonly prompt?: readonly { role: string; content: unknown }[];
  readonly messages?: readonly { role: string; content: unknown }[];
  readonly text?: string;
  readonly result?: unknown;
}

const rolesOf = {
  input: 'user',
  inputStep: 'user',
  llmRequest: 'user',
  outputStep: 'assistant',
  outputResult: 'assistant',
} as const;

/** The text that the guard of a phase judges. */
const readOf = (phase: Rule['phase'], args: HookArgs): unknown => {
  if (phase === 'apiError') return 'alpha bravo charlie dutch'; // it is only called if the call failed
  if (phase === 'outputStream') return partTexts(args.part);
  if (phase === 'toolResult') return args.result;
  if (phase === 'outputStep' || phase === 'llmResponse') return args.text;
  const rows = phase === 'llmRequest' ? args.prompt : args.messages;
  return rows?.filter(({ role }) => role === rolesOf[phase]);
};

const partTexts = (part: HookArgs['part']): unknown => {
  if (part?.type === 'text-delta' || part?.type === 'reasoning-delta') return part.payload.text;
  if (part?.type === 'source') return part.payload.title;
  if (part?.type === 'tool-result') return part.payload.result;
  return part?.type === 'tool-call' ? part.payload.args : '';
};

const without = <T>(value: T, word: string): T => JSON.parse(JSON.stringify(value).replaceAll(word, '[out]')) as T;

/** The question without the word. */
const editOf = ({ phase, word }: Rule, args: HookArgs): unknown => {
  if (phase === 'outputStream') return without(args.part, word);
  if (phase === 'llmRequest') return { prompt: args.prompt?.map((row) => (row.role === 'user' ? without(row, word) : row)) };
  if (phase === 'llmResponse' || phase === 'apiError') return undefined;
  if (phase === 'toolResult') return args.messages?.map((row) => (row.role === 'assistant' ? without(row, word) : row));
  return args.messages?.map((row) => (row.role === rolesOf[phase] ? without(row, word) : row));
};

const unchanged = (phase: Rule['phase'], { part, messages }: HookArgs): unknown => {
  if (phase === 'outputStream') return part;
  return ['input', 'outputStep', 'outputResult'].includes(phase) ? messages : undefined;
};

const abortLate = ({ abort }: HookArgs): void => {
  try {
    abort('late');
  } catch {} // like a hook's own abort
};

const guardOf = (one: Rule, id: string): Processor => {
  let retries = 0;
  const act = (args: HookArgs): unknown => {
    if (!JSON.stringify(readOf(one.phase, args) ?? '').includes(one.word)) return unchanged(one.phase, args);
    if (one.act === 'hang') return new Promise(() => undefined);
    if (one.act === 'late') setImmediate(() => abortLate(args));
    if (one.act === 'fail') throw new Error('down');
    if (one.act === 'trip') return args.abort(id);
    if (one.act === 'edit') return editOf(one, args) ?? unchanged(one.phase, args);
    if (one.act === 'retry' && retries < one.retries) {
      retries += 1;
      return one.phase === 'apiError' ? { retry: true } : args.abort(id, { retry: true });
    }
    return unchanged(one.phase, args);
  };
  const hook = (args: HookArgs): unknown => (one.isSlow ? Promise.resolve().then(() => act(args)) : act(args));
  return { id, [phases[one.phase].hook]: hook };
};

export interface Lanes {
  readonly inputProcessors: readonly PipelineStep[];
  readonly outputProcessors: readonly PipelineStep[];
  readonly errorProcessors: readonly PipelineStep[];
}

/** Guards in the arrays of an agent, and in the one list of other hosts. */
export interface ScriptedGuards {
  readonly lanes: Lanes;
  readonly list: readonly PipelineStep[];
}

const wired = (steps: readonly PipelineStep[], id: string, wiring: Script['wiring']): readonly PipelineStep[] => {
  if (wiring === 'array' || steps.length === 0) return steps;
  const start = pipeline(id);
  const [first, ...others] = steps as [PipelineStep, ...PipelineStep[]];
  switch (wiring) {
    case 'parallel':
      return [start.parallel(steps).commit()];
    case 'branch':
      return [start.branch([[otherwise, pipeline(`${id}-arm`).parallel(steps)]]).commit()];
    case 'nested':
      return [others.length === 0 ? start.then(first).commit() : start.then(first).parallel(others).commit()];
    case 'pipeline':
      return [steps.reduce<Pipeline>((made, step) => made.then(step), start as never).commit()];
    default:
      return wiring satisfies never;
  }
};

/** New guards for a script: they count their calls. With a deadline, which none of them exceeds, each works on its own payload. */
export const guardsOf = ({ rules, redacts, wiring }: Script, { hasDeadline = false } = {}): ScriptedGuards => {
  const steps = rules.map((one, index) => {
    const made = guardOf(one, `g${index}`);
    const policy = {
      ...(one.phase === 'outputStream' && one.window && { window: one.window }),
      ...(hasDeadline && { deadlineMs: 60_000 }),
      ...(one.act === 'hang' && { deadlineMs: 2 }),
    };
    const step = Object.keys(policy).length > 0 ? (guard(made, policy) as PipelineStep) : made;
    return { lane: phases[one.phase].lane, step };
  });
  const lane = (name: string) => steps.filter((one) => one.lane === name).map(({ step }) => step);
  const hides = redacts ? [redactor({ strategy: 'replace', kinds: ['email'] }) as PipelineStep] : [];
  const input = wired(lane('input'), 'in', wiring);
  const output = [...hides, ...wired(lane('output'), 'out', wiring)];
  const errorProcessors = wired(lane('error'), 'err', wiring);
  return {
    lanes: { inputProcessors: [...input, ...hides], outputProcessors: output, errorProcessors },
    list: [...input, ...output, ...errorProcessors],
  };
};
