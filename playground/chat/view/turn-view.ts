import type { ChunkType } from '@mastra/core/stream';
import type { RunEvent } from '../../../src/index.js';
import { createFlow } from './flow.js';
import { oneLine, wrapWords } from './plain-text.js';
import type { Terminal } from './terminal.js';

/** Shows one turn as it comes. */
export interface TurnView {
  chunk(chunk: ChunkType): void;
  event(event: RunEvent): void;
  /** Ends the line under way. */
  end(): void;
}

/** The fields that the view reads, of whatever chunk. */
interface Seen {
  readonly type: string;
  readonly payload?: Payload;
  readonly data?: { readonly attempt?: number };
}

interface Payload {
  readonly text?: string;
  readonly toolName?: string;
  readonly args?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly reason?: string;
  readonly processorId?: string;
  readonly phase?: string;
}

const longestReason = 400;

/** Starts the view of a turn. */
export const createTurnView = (terminal: Terminal): TurnView => {
  const { paint } = terminal;
  const flow = createFlow(terminal);
  let rejection = '';
  const brief = (text: string) => oneLine(text, terminal.columns - 1);
  const wrapped = (text: string) => (terminal.isScreen ? wrapWords(text.split(' '), terminal.columns - 3).join('\n  ') : text);
  const show: Readonly<Record<string, (payload: Payload, chunk: Seen) => void>> = {
    'text-delta': ({ text = '' }) => flow.text(text),
    'tool-call': ({ toolName, args }) => flow.line(paint.dim(brief(`→ ${toolName} ${asText(args)}`))),
    'tool-result': ({ result }) => flow.line(paint.dim(brief(`← ${asText(result)}`))),
    'tool-error': ({ error }) => flow.line(paint.dim(brief(`← error: ${asText(error)}`))),
    'data-interlock-retract': (_, { data }) =>
      flow.line(paint.yellow(brief(`↩ withdrawn (attempt ${data?.attempt ?? '?'})${rejection && `: ${rejection}`}`))),
    tripwire: ({ reason = '', processorId, phase }) =>
      flow.line(paint.red(wrapped(`■ blocked by ${processorId} in ${phase}: ${oneLine(reason, longestReason)}`))),
    error: ({ error }) => flow.line(paint.red(wrapped(`■ failed: ${oneLine(asText(error), longestReason)}`))),
    abort: () => flow.line(paint.yellow('■ canceled')),
    'step-finish': () => flow.fresh(),
  };
  return {
    chunk: (chunk) => {
      const seen = chunk as Seen; // a view over Mastra's many kinds of chunk: every field is optional in it
      show[seen.type]?.(seen.payload ?? {}, seen);
    },
    event: (event) => {
      if (event.type === 'guard' && event.reason) rejection = event.reason;
    },
    end: () => flow.fresh(),
  };
};

const asText = (value: unknown): string => {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};
