import type { RunEvent } from '../../../src/index.js';
import { guardTable } from './guard-table.js';
import { wrapWords } from './plain-text.js';
import { statesEntered } from './states-line.js';
import type { Terminal } from './terminal.js';

type Finish = Extract<RunEvent, { type: 'run-finish' }>;

/** What stands under a heading of the summary is indented so far. */
const indent = ' '.repeat(8);

/** What is shown under a turn: the states that the run entered, its guards, and how it ended. */
export const turnSummary = (events: readonly RunEvent[], { columns, paint }: Pick<Terminal, 'columns' | 'paint'>): string => {
  const states = wrapWords(statesEntered(events), columns - indent.length).join(`\n${indent}`);
  const finish = events.findLast((event) => event.type === 'run-finish');
  const parts = [
    `${paint.dim('states')}  ${states}`,
    guardTable(events, { columns, paint }),
    finish ? `${paint.dim('result')}  ${ending(events, finish, paint)}` : '',
  ];
  return parts.filter((part) => part !== '').join('\n');
};

const ending = (events: readonly RunEvent[], { status, retries, at }: Finish, paint: Terminal['paint']): string => {
  const color = status === 'success' ? paint.green : status === 'canceled' ? paint.yellow : paint.red;
  const facts = [color(status), count(retries, 'retry', 'retries'), tokens(events), elapsed(at - (events[0]?.at ?? 0))];
  return facts.filter((fact) => fact !== '').join(' · ');
};

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

const tokens = (events: readonly RunEvent[]): string => {
  const usages = events.flatMap((event) => (event.type === 'model-finish' ? [event.usage] : []));
  // Not every endpoint tells them.
  if (usages.every(({ inputTokens, outputTokens }) => inputTokens === undefined && outputTokens === undefined)) return '';
  const sum = (name: 'inputTokens' | 'outputTokens') => usages.reduce((total, usage) => total + (usage[name] ?? 0), 0);
  return `tokens ${sum('inputTokens')} in, ${sum('outputTokens')} out`;
};

const elapsed = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);
