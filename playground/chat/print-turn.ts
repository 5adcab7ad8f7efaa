import type { ChunkType } from '@mastra/core/stream';
import type { RunEvent } from '../../src/index.js';

/** Escape sequences and other control characters, without line ends and tabs. */
const controls = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Text of a model, a tool or a guard, safe to print at a terminal, even if a sequence was split over two pieces. */
const plain = (text: string): string => text.replaceAll(controls, '');

const maxChars = 500;

/** The same on one line, cut to a readable length. */
export const oneLine = (text: string): string => {
  const characters = Array.from(plain(text).replaceAll(/\s+/g, ' ').trim());
  return characters.length > maxChars ? `${characters.slice(0, maxChars - 1).join('')}…` : characters.join('');
};

const asText = (value: unknown): string => {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};

type Chunk<Type extends ChunkType['type']> = Extract<ChunkType, { type: Type }>;

/** The lines of chunks other than text, by type; other types have none. */
const lines: { readonly [Type in ChunkType['type']]?: (chunk: Chunk<Type>, events: readonly RunEvent[]) => string } = {
  'tool-call': ({ payload }) => `→ ${payload.toolName} ${asText(payload.args)}`,
  'tool-result': ({ payload }) => `← ${asText(payload.result)}`,
  'tool-error': ({ payload }) => `← error: ${asText(payload.error)}`,
  'data-interlock-retract': ({ data }, events) => {
    const rejection = events.findLast((event) => event.type === 'guard' && event.reason !== undefined);
    const reason = rejection?.type === 'guard' ? `: ${rejection.reason}` : '';
    return `↩ retracted (attempt ${(data as { attempt: number }).attempt})${reason}`; // as the loop writes it
  },
  tripwire: ({ payload }) => `■ blocked by ${payload.processorId}: ${payload.reason}`,
  error: ({ payload }) => `■ failed: ${asText(payload.error)}`,
  abort: () => '■ canceled',
};

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** A line for each guard and phase: `guard   leak in outputStream: pass (12 calls, 3.1 ms)`. */
const guardLines = (events: readonly RunEvent[]): string[] => {
  const guards = events.filter((event) => event.type === 'guard');
  return Array.from(
    Map.groupBy(guards, ({ processorId, phase }) => `${processorId} in ${phase}`),
    ([name, own]) => {
      const verdicts = new Set(own.map(({ verdict }) => verdict));
      const calls = own.reduce((total, event) => total + event.calls, 0);
      const ms = own.reduce((total, { durationMs }) => total + durationMs, 0);
      return `guard   ${oneLine(name)}: ${[...verdicts].join(', ')} (${counted(calls, 'call', 'calls')}, ${ms.toFixed(1)} ms)`;
    },
  );
};

/** The states of a run, the verdicts of its guards, and its result. The studio shows the rest. */
const summaryOf = (events: readonly RunEvent[]): string[] => {
  const states = events.flatMap((event) => (event.type === 'state-enter' ? event.state.replace(/^step\./, '') : []));
  const finish = events.findLast((event) => event.type === 'run-finish');
  const ms = Math.round((finish?.at ?? NaN) - (events[0]?.at ?? NaN));
  const result = finish ? [`result  ${finish.status} · ${counted(finish.retries, 'retry', 'retries')} · ${ms} ms`] : [];
  return [`states  ${states.join(' → ')}`, ...guardLines(events), ...result];
};

/** Prints one turn for readers as it happens, and its summary at the end. The run's events so far are in `events`. */
export const printTurn = ({ write }: { write: (text: string) => unknown }, events: readonly RunEvent[]) => {
  let isLineOpen = false;
  const print = (text: string): void => {
    if (text === '') return;
    write(text);
    isLineOpen = !text.endsWith('\n');
  };
  const printLine = (text: string): void => print(`${isLineOpen ? '\n' : ''}${text}\n`);
  return {
    chunk: (chunk: ChunkType): void => {
      if (chunk.type === 'text-delta') return print(plain(chunk.payload.text));
      const lineOf = lines[chunk.type] as ((given: ChunkType, events: readonly RunEvent[]) => string) | undefined; // by its type
      if (lineOf) printLine(oneLine(lineOf(chunk, events)));
    },
    end: (): void => printLine(`\n${summaryOf(events).join('\n')}`),
  };
};
