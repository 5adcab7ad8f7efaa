import type { ForkRun } from '../../protocol/again.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';

/** A part of a run that can be edited; its id is the field of the edits, and the key in it. */
export interface Editable {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Its text is JSON. */
  readonly isJson?: boolean;
}

/** A response of the model, as sent. */
interface Response {
  readonly stepNumber: number;
  readonly attempt: number;
  readonly text: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/** The initial messages of a run, and the parts of its steps in order, as far as pages get them; arguments of rejected calls by their ids. */
export const editableIn = (
  entries: readonly StudioEntry[],
  responses: readonly Response[],
  rejected: Readonly<Record<string, unknown>> = {},
): [Editable[], Editable[]] => {
  const messages = entries.find((entry) => entry.kind === 'input')?.messages ?? [];
  const parts = [
    ...responses.map(({ stepNumber, attempt, text }) => ({
      stepNumber,
      id: `answers ${stepNumber}.${attempt}`,
      title: `Response${attempt > 1 ? `, attempt ${attempt}` : ''}`,
      text,
    })),
    ...entries.flatMap((entry) => {
      if (entry.kind !== 'tool') return [];
      const { stepNumber, toolCallId, toolName, args: sent, result } = entry;
      const args = rejected[toolCallId] ?? sent; // a guard replaced those that were sent
      const partOf = (id: string, noun: string, value: unknown) => ({
        stepNumber,
        id: `${id} ${toolCallId}`,
        title: `${noun} of ${toolName}`,
        text: json(value),
        isJson: true,
      });
      return [partOf('args', 'Arguments', args), partOf('results', 'Result', result)].filter(({ text }) => text !== '');
    }),
  ].toSorted((a, b) => a.stepNumber - b.stepNumber);
  return [
    messages.map(({ id, role, text }) => ({ id: `messages ${id}`, title: `Message: ${role}`, text })),
    [...new Map(parts.map((part) => [part.id, part])).values()].map(({ stepNumber, title, ...part }) => ({
      ...part,
      title: `${title}, step ${stepNumber + 1}`,
    })),
  ];
};

/** Edited texts, by the ids of the parts. */
export type Typed = Readonly<Record<string, string>>;

/** The differences from the run. Throws a `SyntaxError` for a text that is no JSON. */
export const editsOf = (parts: readonly Editable[], typed: Typed): ForkRun => {
  const edits: Record<string, unknown> = {};
  for (const [id, text] of Object.entries(typed)) {
    const part = parts.find((one) => one.id === id);
    if (part?.text === text) continue;
    const [field = id, key] = id.split(/ (.*)/s);
    edits[field] =
      key === undefined ? text : { ...(edits[field] as object), [key]: part?.isJson ? parsed(part.title, text) : text };
  }
  return edits;
};

const parsed = (title: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SyntaxError(`${title}: the text is not valid JSON.`);
  }
};
