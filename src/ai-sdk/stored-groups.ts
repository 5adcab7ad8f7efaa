import { isRecord, isSame } from '../phase/plain-data.js';
import { toStored, type StoredPart } from '../plain/stored-message.js';
import type { AnyMessage } from './spec.js';

/** A group of messages as it was converted. */
interface StoredGroup {
  /** Copies of the messages down to the fields that the parts repeat; deeper values are shared with the parts. */
  readonly messages: readonly AnyMessage[];
  readonly parts: readonly StoredPart[];
}

/** Converts groups of messages to stored parts. */
export type StoreGroup = (messages: readonly AnyMessage[], index: number, now: number) => readonly StoredPart[];

/**
 * Keeps the parts of the last conversation: most messages of a step were in the step before. No caller may change the parts. The functions
 * of the AI SDK and its models have the same messages in two forms, which alternate.
 */
export const createStoredGroups = (): { readonly ofSteps: StoreGroup; readonly ofPrompts: StoreGroup } => ({
  ofSteps: createStore(),
  ofPrompts: createStore(),
});

const createStore = (): StoreGroup => {
  const known: StoredGroup[] = [];
  return (messages, index, now) => {
    const last = known[index];
    if (last && isSame(messages, last.messages)) return last.parts;
    const parts = storeGroup(messages, index, now);
    known[index] = { messages: copyFields(messages, 5), parts };
    return parts;
  };
};

/** Converts a group that occurs once. */
export const storeGroup: StoreGroup = (messages, _index, now) => {
  const parts = toStored(messages);
  for (const part of parts) Object.assign(part, { createdAt: now }); // Mastra's type of some parts lacks it
  return parts;
};

/** A copy of so many levels: of messages, their parts, and the fields of the parts. */
const copyFields = <T>(value: T, levels: number): T => {
  if (levels === 0 || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((entry: unknown) => copyFields(entry, levels - 1)) as T; // of the same type
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) copy[name] = copyFields(copy[name], levels - 1);
  return copy as T; // with its fields
};
