import type { RunEvent } from '../../src/index.js';
import { visibleMessages } from '../../src/ui/index.js';

/** The results of a run for its caller, and its effects. */
export interface Observed {
  /** The status, with the tripwire's reason, processor and phase, or the error's message. */
  readonly end: readonly unknown[];
  /** For each accepted step: its words, thoughts, files, calls and results. */
  readonly steps: readonly unknown[];
  /** The object of the answer, and the last one in its stream. */
  readonly objects: readonly unknown[];
  /** The words that left a stream and were not retracted; without a stream, the text of the result. */
  readonly emitted: string;
  /** The words and thoughts on a chat page without part ids. */
  readonly page: Page;
  /** The tools that ran, with their arguments. */
  readonly effects: readonly string[];
  /** The model's input in each call, without system messages. */
  readonly prompts: readonly (readonly string[])[];
  /** The verdicts in order, except for those about chunks; adjacent ones of one phase are a set. */
  readonly verdicts: readonly string[];
  /** The messages in memory. */
  readonly saved: readonly string[];
}

export interface Page {
  readonly text: string;
  readonly reasoning: string;
}

/** The error of a run, without the name of the guard's pipeline. */
export const failed = ({ message }: Error): readonly unknown[] => [
  'failed',
  message.replace(/at (\w+) \S*(g\d): /, 'at $1 $2: '),
];

type Verdict = Pick<Extract<RunEvent, { type: 'guard' }>, 'phase' | 'processorId' | 'verdict'>;

/** The guards of a script; those of memory are an entrance's own. */
const isScripted = /^g\d$|^redactor/;

/** {@link Observed.verdicts}: the guards of a block judge at the same time. */
export const inOrder = (verdicts: readonly Verdict[]): string[] => {
  const groups: { phase: string; own: string[] }[] = [];
  for (const { phase, processorId, verdict } of verdicts) {
    if (phase === 'outputStream' || !isScripted.test(processorId)) continue;
    const last = groups.at(-1);
    const group = last?.phase === phase ? last : { phase, own: [] };
    if (group !== last) groups.push(group);
    group.own.push(`${processorId} ${verdict}`);
  }
  return groups.map(({ phase, own }) => `${phase}: ${own.toSorted().join(', ')}`);
};

export interface Chunk {
  readonly type: string;
  readonly payload?: { readonly id?: string; readonly text?: string };
  readonly data?: { readonly partIds?: readonly string[] };
}

/** The words of a stream of Mastra's that remain for its reader. */
export const emittedText = (chunks: readonly Chunk[]): string => {
  const texts: { id: string | undefined; text: string }[] = [];
  for (const { type, payload, data } of chunks) {
    if (type === 'text-delta') texts.push({ id: payload?.id, text: payload?.text ?? '' });
    if (type !== 'data-interlock-retract') continue;
    const retracted = new Set(data?.partIds);
    texts.splice(0, texts.length, ...texts.filter(({ id }) => !retracted.has(id ?? '')));
  }
  return texts.map(({ text }) => text).join('');
};

/** A chat page's view of a stream of Mastra's. */
export const pageOf = (chunks: readonly Chunk[]): Page => {
  const parts: { type: string; id?: string | undefined; text: string; data?: unknown }[] = [];
  for (const { type, payload, data } of chunks) {
    const [, kind, event] = /^(text|reasoning)-(start|delta)$/.exec(type) ?? [];
    if (kind && event === 'start') parts.push({ type: kind, id: payload?.id, text: '' });
    const part = kind && parts.findLast((one) => one.type === kind && one.id === payload?.id);
    if (part && event === 'delta') part.text += payload?.text ?? '';
    if (type === 'step-start' || type.startsWith('data-')) parts.push({ type, text: '', data });
  }
  const visibleParts = visibleMessages([{ role: 'assistant', parts }]).flatMap((message) => message.parts);
  const contentOf = (kind: string) => visibleParts.map(({ type, text }) => (type === kind ? text : '')).join('');
  return { text: contentOf('text'), reasoning: contentOf('reasoning') };
};

interface Thought {
  readonly reasoning: string;
}

/** The page of an answer without a stream. */
export const pageOfResult = (text: string, steps: readonly unknown[]): Page => ({
  text,
  reasoning: (steps as readonly Thought[]).map(({ reasoning }) => reasoning).join(''),
});
