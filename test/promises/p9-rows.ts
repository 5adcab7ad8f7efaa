import type { MastraDBMessage } from '@mastra/core/agent/message-list';

import { phaseNames } from '../../src/phase/table.js';
import type { Phase } from '../../src/index.js';
import { isWhole } from '../modes.js';

/** A guard's verdict in a row: `retry` is granted and sufficient, `exhausted` requests one more than allowed. */
const verdicts = ['pass', 'edit', 'trip', 'retry', 'exhausted', 'fail'] as const;
export type Verdict = (typeof verdicts)[number];

/** One row of the table: a guard of one hook with one verdict, in an agent with or without tools and memory. */
export interface Row {
  readonly phase: Phase;
  readonly verdict: Verdict;
  readonly tools: boolean;
  readonly memory: boolean;
}

/** The outcome of a row, the same on every host. */
export interface Outcome {
  readonly end: 'success' | 'tripwire' | 'failed';
  /** The final answer; empty if there is none. */
  readonly answer: string;
  /** Effects that the tools had. */
  readonly effects: number;
  readonly modelCalls: number;
  /** Whether the model saw the guard's edit of the input or of a tool's result. */
  readonly hasEdit: boolean;
  /** The messages in memory. */
  readonly saved: 'turn' | 'calls' | 'nothing';
}

export const nameOf = ({ phase, verdict, tools, memory }: Row): string =>
  `${phase} ${verdict}${tools ? ', tools' : ''}${memory ? ', memory' : ''}`;

const both = [false, true];

/** All possible rows: no results without tools, and no edits of read-only payloads. */
export const allRows: readonly Row[] = phaseNames.flatMap((phase) =>
  verdicts.flatMap((verdict) =>
    both.flatMap((tools) =>
      both.flatMap((memory) => {
        const cannotBe = (phase === 'toolResult' && !tools) || (phase === 'llmResponse' && verdict === 'edit');
        return cannotBe ? [] : [{ phase, verdict, tools, memory }];
      }),
    ),
  ),
);

/** The rows of this run: each hook and verdict in two of the four agents, so that each pair of columns is there; or all. */
export const rows: readonly Row[] = allRows.filter(
  ({ phase, verdict, tools, memory }) =>
    isWhole || (tools === memory) === ((phaseNames.indexOf(phase) + verdicts.indexOf(verdict)) % 2 === 0),
);

export const opening = {
  text: ['I will ', 'charge you. '],
  toolCalls: [
    { name: 'charge', args: { amount: 1 } },
    { name: 'charge', args: { amount: 2 } },
  ],
};
export const request = 'Please charge me.';
const answer = 'All is paid.';
export const budget = 1;

/** The guard's edit of a text; the same for any cut of a stream. */
export const loud = (text: string): string => text.toUpperCase();

const beforeModel = new Set<Phase>(['input', 'inputStep', 'llmRequest']);
const onAnswer = new Set<Phase>(['outputStream', 'outputStep', 'outputResult']);

/** The required outcome of a row: this is the table. */
export const expectedOf = ({ phase, verdict, tools, memory }: Row): Outcome => {
  const end = endOf(phase, verdict);
  const isOver = end !== 'success';
  const isEdit = verdict === 'edit';
  const effects = !tools || (isOver && phase !== 'toolResult' && phase !== 'outputResult') ? 0 : 2;
  return {
    end,
    answer: isOver ? '' : isEdit && onAnswer.has(phase) ? loud(answer) : answer,
    effects,
    modelCalls: callsOf(phase, verdict, tools),
    hasEdit: isEdit && (beforeModel.has(phase) || phase === 'toolResult'),
    saved: !memory ? 'nothing' : !isOver ? 'turn' : effects > 0 ? 'calls' : 'nothing',
  };
};

const endOf = (phase: Phase, verdict: Verdict): Outcome['end'] => {
  if (phase === 'apiError' && verdict === 'pass') return 'failed'; // no guard requested the call again
  if (verdict === 'fail') return 'failed';
  return verdict === 'trip' || verdict === 'exhausted' ? 'tripwire' : 'success';
};

const callsOf = (phase: Phase, verdict: Verdict, tools: boolean): number => {
  const whole = tools ? 2 : 1;
  const isOver = endOf(phase, verdict) !== 'success';
  const isAgain = verdict === 'retry' || verdict === 'exhausted';
  if (beforeModel.has(phase)) return isOver ? 0 : whole;
  if (phase === 'apiError') return (isOver ? 0 : whole) + (verdict === 'exhausted' ? 2 : 1);
  const upToHere = phase === 'outputResult' ? whole : 1;
  return (isOver ? upToHere : whole) + (isAgain ? 1 : 0);
};

// --- The guard of a row. ---

interface HookArgs {
  abort(reason: string, options?: { retry?: boolean }): never;
  readonly part?: { type: string; payload: { text: string } };
  readonly prompt?: readonly { role: string; content: unknown }[];
  readonly messages?: readonly MastraDBMessage[];
  readonly messageList?: unknown;
}

/** The hook of a row's guard, the same on every host. */
export const hookOf = ({ phase, verdict }: Row): ((args: HookArgs) => unknown) => {
  let retries = 0;
  return (args) => {
    if (phase === 'outputStream' && args.part?.type !== 'text-delta') return args.part;
    if (verdict === 'edit') return editOf(phase, args);
    if (verdict === 'fail') throw new Error('The guard is out of order.');
    if (verdict === 'trip') return args.abort('No.');
    if (verdict === 'exhausted' || (verdict === 'retry' && retries === 0)) {
      retries += 1;
      return args.abort('Once more.', { retry: true });
    }
    return phase === 'apiError' && verdict === 'retry' ? { retry: true } : unchanged(phase, args);
  };
};

const unchanged = (phase: Phase, { part, messageList }: HookArgs): unknown => {
  if (phase === 'outputStream') return part;
  return ['input', 'outputStep', 'outputResult'].includes(phase) ? messageList : undefined;
};

const editOf = (phase: Phase, { part, prompt = [], messages = [] }: HookArgs): unknown => {
  switch (phase) {
    case 'apiError':
      return { retry: true };
    case 'outputStream':
      return part && { ...part, payload: { ...part.payload, text: loud(part.payload.text) } };
    case 'llmRequest':
      return {
        prompt: prompt.map((one) =>
          one.role === 'user' ? (JSON.parse(JSON.stringify(one).replace(request, loud(request))) as object) : one,
        ),
      };
    case 'toolResult':
      return JSON.parse(JSON.stringify(messages).replaceAll(/receipt \d/g, loud));
    case 'input':
    case 'inputStep':
      return rewritten(messages, 'user');
    case 'llmResponse':
    case 'outputStep':
    case 'outputResult':
      return rewritten(messages, 'assistant');
    default:
      return phase satisfies never;
  }
};

/** The messages with every text of a role replaced. */
const rewritten = (messages: readonly MastraDBMessage[], role: string): MastraDBMessage[] =>
  messages.map((message) =>
    message.role === role
      ? {
          ...message,
          content: {
            ...message.content,
            parts: message.content.parts.map((part) => (part.type === 'text' ? { ...part, text: loud(part.text) } : part)),
          },
        }
      : message,
  );
