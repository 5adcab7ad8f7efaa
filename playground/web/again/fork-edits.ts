import type { ForkRun } from '../../protocol/again.js';
import type { InputMessage, StudioEntry } from '../../protocol/trace-entry.js';

/** The editable parts of a run. */
export interface Editable {
  readonly messages: readonly InputMessage[];
  readonly results: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly stepNumber: number;
    readonly json: string;
  }[];
}

/** The initial messages of a run and the results of its tools, as far as pages get them. */
export const editableIn = (entries: readonly StudioEntry[]): Editable => ({
  messages: entries.find((entry) => entry.kind === 'input')?.messages ?? [],
  results: entries
    .filter((entry) => entry.kind === 'tool')
    .filter(({ result }) => result !== undefined)
    .map(({ toolCallId, toolName, stepNumber, result }) => ({
      toolCallId,
      toolName,
      stepNumber,
      json: JSON.stringify(result, null, 2),
    })),
});

/** Edited texts, by what they replace: the id of a message or of a call. */
export type Typed = Readonly<Record<string, string>>;

/** The differences from the run. Throws a `SyntaxError` for a result that is no JSON. */
export const editsOf = ({ messages, results }: Editable, typed: Typed): Pick<ForkRun, 'messages' | 'results'> => ({
  messages: Object.fromEntries(
    messages.flatMap(({ id, text }) => (typed[id] !== undefined && typed[id] !== text ? [[id, typed[id]]] : [])),
  ),
  results: Object.fromEntries(
    results.flatMap(({ toolCallId: id, json }): [string, unknown][] =>
      typed[id] !== undefined && typed[id] !== json ? [[id, JSON.parse(typed[id])]] : [],
    ),
  ),
});
