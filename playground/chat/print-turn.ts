import type { ChunkType } from '@mastra/core/stream';
import type { RunEvent } from '../../src/index.js';
import { oneLine, plain } from './plain-text.js';

/** Prints one turn as it happens. */
export interface TurnPrinter {
  chunk(chunk: ChunkType): void;
  event(event: RunEvent): void;
  /** Prints the summary, or the error of a call that failed before the run started. */
  end(error?: Error): void;
}

type Write = (text: string) => void;
type GuardEvent = Extract<RunEvent, { type: 'guard' | 'guard-bypass' | 'guard-shadow' }>;

/** The fields of a chunk that are printed. */
interface PrintedChunk {
  readonly type: string;
  readonly payload?: Readonly<Partial<Record<'text' | 'toolName' | 'reason' | 'processorId' | 'phase', string>>> & {
    readonly args?: unknown;
    readonly result?: unknown;
    readonly error?: unknown;
  };
  readonly data?: { readonly attempt?: number };
}

const asText = (value: unknown): string => {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};

/** The line for a chunk other than text; undefined if it has none. `rejection` is the last reason of a guard. */
const lineOf = ({ type, payload = {}, data = {} }: PrintedChunk, rejection: string): string | undefined => {
  switch (type) {
    case 'tool-call':
      return `→ ${payload.toolName} ${asText(payload.args)}`;
    case 'tool-result':
      return `← ${asText(payload.result)}`;
    case 'tool-error':
      return `← error: ${asText(payload.error)}`;
    case 'data-interlock-retract':
      return `↩ retracted (attempt ${data.attempt ?? '?'})${rejection && `: ${rejection}`}`;
    case 'tripwire':
      return `■ blocked by ${payload.processorId}: ${payload.reason ?? ''}`;
    case 'error':
      return `■ failed: ${asText(payload.error)}`;
    case 'abort':
      return '■ canceled';
    default:
      return undefined;
  }
};

/** `input → step 0: preparing → requesting → … → finishing → success` */
const statesOf = (events: readonly RunEvent[]): string => {
  const entered = events.filter((event) => event.type === 'state-enter');
  const name = ({ state, stepNumber }: { state: string; stepNumber: number }, at: number): string => {
    const before = entered[at - 1];
    const isSameStep = before?.state.startsWith('step.') && before.stepNumber === stepNumber;
    return `${state.startsWith('step.') && !isSameStep ? `step ${stepNumber}: ` : ''}${state.replace(/^step\./, '')}`;
  };
  return entered.map(name).join(' → ');
};

const verdictOf = (event: GuardEvent): string => {
  if (event.type === 'guard-bypass') return 'bypassed';
  return event.type === 'guard-shadow' ? `would ${event.verdict}` : event.verdict;
};

/** One line for each guard and phase: `leak in outputStream: pass (12 calls, 3.1 ms)`. */
const guardLines = (events: readonly RunEvent[]): string[] => {
  const guards = events.filter((event): event is GuardEvent => /^guard(-bypass|-shadow)?$/.test(event.type));
  const groups = Object.groupBy(guards, ({ processorId, phase }) => `${processorId} in ${phase}`);
  return Object.entries(groups).map(([name, group = []]) => {
    const verdicts = [...new Set(group.map(verdictOf))].join(', ');
    const calls = group.reduce((total, event) => total + event.calls, 0);
    const ms = group.reduce((total, event) => total + ('durationMs' in event ? event.durationMs : 0), 0);
    return `guard   ${oneLine(name, 60)}: ${verdicts} (${calls} ${calls === 1 ? 'call' : 'calls'}, ${ms.toFixed(1)} ms)\n`;
  });
};

const resultLine = (events: readonly RunEvent[]): string => {
  const finish = events.findLast((event) => event.type === 'run-finish');
  if (!finish) return '';
  const ms = finish.at - (events[0]?.at ?? finish.at);
  return `result  ${finish.status} · ${finish.retries} ${finish.retries === 1 ? 'retry' : 'retries'} · ${Math.round(ms)} ms\n`;
};

/** For readers: the stream, then the states of the run, the verdicts of the guards and the result. */
export const printTurn = (write: Write): TurnPrinter => {
  const events: RunEvent[] = [];
  let isLineOpen = false;
  let rejection = '';
  const print = (text: string): void => {
    if (text === '') return;
    write(text);
    isLineOpen = !text.endsWith('\n');
  };
  const printLine = (text: string): void => print(`${isLineOpen ? '\n' : ''}${oneLine(text, 500)}\n`);
  return {
    chunk: (chunk) => {
      const printed = chunk as PrintedChunk; // every field that is printed is optional
      if (printed.type === 'text-delta') return print(plain(printed.payload?.text ?? ''));
      const line = lineOf(printed, rejection);
      if (line !== undefined) printLine(line);
    },
    event: (event) => {
      events.push(event);
      if (event.type === 'guard' && event.reason) rejection = event.reason;
    },
    end: (error) => {
      if (error && events.length === 0) printLine(error.message);
      else print(`${isLineOpen ? '\n' : ''}\nstates  ${statesOf(events)}\n${guardLines(events).join('')}${resultLine(events)}`);
    },
  };
};

/** For programs: each run event as a JSON line, and nothing else on standard output. */
export const printEvents = (write: Write, complain: Write): TurnPrinter => {
  let hasStarted = false;
  return {
    chunk: () => undefined,
    event: (event) => {
      hasStarted = true;
      write(`${JSON.stringify(event)}\n`);
    },
    end: (error) => {
      if (error && !hasStarted) complain(`${oneLine(error.message, 500)}\n`);
    },
  };
};
