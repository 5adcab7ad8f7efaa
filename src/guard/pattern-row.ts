import type { Processor } from '@mastra/core/processors';
import type { HookCall, HookContext, PhaseRow } from '../phase/row.js';
import { phases } from '../phase/table.js';
import { mapTexts } from './map-texts.js';
import type { Pattern, TextSpan, WindowedProcessor } from './pattern.js';

type StreamRow = PhaseRow<'outputStream', 'processOutputStream'>;

interface StreamChunk {
  readonly type: string;
  readonly payload?: unknown;
  readonly data?: unknown;
  /** Where the chunk is one match: what `find` said about it. */
  readonly match?: TextSpan;
}

const row: StreamRow = phases.outputStream;

/** The pattern that a processor says it goes by. */
export const patternOf = (processor: Processor): Pattern | undefined => {
  const { window }: WindowedProcessor = processor;
  return typeof window === 'object' && 'pattern' in window ? window.pattern : undefined;
};

/**
 * The row of the stream as the gate uses it: a processor with a pattern is asked about matches and about whole chunks by its
 * pattern, any other by its hook.
 */
export const gateRow: StreamRow = {
  ...row,
  skips: (data, processor) => {
    if (row.skips?.(data, processor)) return true;
    const chunk = data.part as StreamChunk; // checked by the row
    return patternOf(processor) !== undefined && !chunk.match && fieldOf(chunk) === undefined;
  },
  invoke: (call: HookCall<'outputStream', 'processOutputStream'>) => {
    const pattern = patternOf(call.processor);
    return pattern ? redacted(call.data.part as StreamChunk, pattern, call.context) : row.invoke(call);
  },
};

/** Where other chunks than deltas carry words; the rest has none. */
const fields: Partial<Record<string, 'args' | 'result' | 'error'>> = {
  'tool-call': 'args',
  'tool-result': 'result',
  'tool-error': 'error',
};

const fieldOf = ({ type }: StreamChunk): string | undefined => fields[type] ?? (type.startsWith('data-') ? 'data' : undefined);

/** A chunk with every match in it replaced; the same object where there is none. */
const redacted = (chunk: StreamChunk, pattern: Pattern, context: HookContext): StreamChunk => {
  const { match } = chunk;
  if (match) {
    const { text } = chunk.payload as { text: string };
    const { match: _match, ...delta } = chunk;
    return { ...delta, payload: { ...(chunk.payload as object), text: pattern.replace(text, { span: match, context }) } };
  }
  const change = (text: string) => replaceAll(text, pattern, context);
  if (chunk.type.startsWith('data-')) {
    const data = mapTexts(chunk.data, change);
    return data === chunk.data ? chunk : { ...chunk, data };
  }
  const field = fieldOf(chunk) as string; // others are skipped
  const payload = chunk.payload as Record<string, unknown>;
  const value = mapTexts(payload[field], change);
  return value === payload[field] ? chunk : { ...chunk, payload: { ...payload, [field]: value } };
};

const replaceAll = (text: string, pattern: Pattern, context: HookContext): string => {
  let replaced = '';
  let at = 0;
  for (const span of pattern.find(text, 0)) {
    replaced += text.slice(at, span.start) + pattern.replace(text.slice(span.start, span.end), { span, context });
    at = span.end;
  }
  return at === 0 ? text : replaced + text.slice(at);
};
