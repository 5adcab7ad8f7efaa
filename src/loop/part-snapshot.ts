import { copyShared, isPlain, isSame } from '../phase/plain-data.js';
import { fileKey, sourceFields, type Part } from './response.js';

/** A snapshot of a message part; later edits by guards do not change it. */
export interface PartSnapshot {
  readonly type: string;
  /** The id of a tool call or a source. */
  readonly id: string | undefined;
  /** The text; for other parts their content, for comparison. */
  readonly value: unknown;
  /** The provider's metadata of the part. */
  readonly metadata?: unknown;
}

/**
 * Takes snapshots of parts before guards judge them.
 *
 * @param earlier their earlier snapshots: unchanged values are shared, so that a long response is not copied again at each step
 */
export const snapshotParts = (parts: readonly Part[], earlier: readonly PartSnapshot[] = []): PartSnapshot[] =>
  parts.map((part, index) => snapshotOf(part, earlier[index]));

const metadataIn = (part: Part | undefined): unknown =>
  ((part?.type === 'source' ? part.source : (part ?? {})) as { providerMetadata?: unknown }).providerMetadata; // not all parts have it

const snapshotOf = (part: Part, earlier?: PartSnapshot): PartSnapshot => {
  const { type } = part;
  const { id, value } = contentOf(part, earlier?.value);
  const metadata = copyShared(earlier?.metadata, metadataIn(part));
  if (earlier?.type === type && earlier.id === id && earlier.value === value && earlier.metadata === metadata) return earlier;
  return { type, id, value, metadata };
};

const contentOf = (part: Part, earlier: unknown): Pick<PartSnapshot, 'id' | 'value'> => {
  const { type } = part;
  if (type === 'text' || type === 'reasoning') return { id: undefined, value: type === 'text' ? part.text : part.reasoning };
  if (type === 'tool-invocation') return { id: part.toolInvocation.toolCallId, value: callIn(part.toolInvocation, earlier) };
  if (isData(part)) return { id: dataAsText(part), value: dataAsText(part) };
  if (type === 'source') return { id: part.source.id, value: JSON.stringify(sourceFields(part)) };
  return { id: undefined, value: type === 'file' ? fileKey(part.data) : undefined };
};

/** A data part that a tool wrote. */
const isData = (part: { type: string }): boolean => part.type.startsWith('data-');

export const dataAsText = (part: { type: string }): string => JSON.stringify((part as { data?: unknown }).data) ?? '';

/** The arguments, the result and the tool's name of a call; the earlier array if nothing changed. */
const callIn = (call: Extract<Part, { type: 'tool-invocation' }>['toolInvocation'], earlier: unknown): readonly unknown[] => {
  const [args, end, toolName] = Array.isArray(earlier) ? (earlier as unknown[]) : [];
  const now = [snapshotValue(args, call.args), snapshotValue(end, endOf(call)), call.toolName];
  return now[0] === args && now[1] === end && now[2] === toolName ? (earlier as unknown[]) : now;
};

/** A copy of plain data, and the text of other values: a guard may change a class instance in place. */
export const snapshotValue = (earlier: unknown, value: unknown): unknown => {
  const copy = copyShared(earlier, value);
  return copy === earlier || isPlain(copy) ? copy : JSON.stringify(value);
};

export const isSamePart = (a: PartSnapshot | undefined, b: PartSnapshot | undefined): boolean =>
  a === b || (a?.type === b?.type && a?.id === b?.id && isSame(a?.value, b?.value) && isSame(a?.metadata, b?.metadata));

/** The end of a call: its result, or the text of its error. */
const endOf = (call: object): unknown => {
  const { state, result, errorText } = call as { state: string; result?: unknown; errorText?: string }; // the host's type is narrower
  return state === 'output-error' ? errorText : result;
};

/** The earlier snapshot of a call, with its current result, and the model's form of it in the metadata. */
export const withResultOf = (was: PartSnapshot, parts: readonly PartSnapshot[]): PartSnapshot => {
  const now = parts.find(({ type, id }) => type === was.type && id === was.id);
  if (!now || now === was) return was;
  const [[args, , toolName], [, result]] = [was.value, now.value] as [unknown[], unknown[]]; // see callIn
  return { ...was, value: [args, result, toolName], metadata: now.metadata };
};
