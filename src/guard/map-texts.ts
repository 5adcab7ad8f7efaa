import { labelOfField, labelOfItem } from '../phase/labels.js';
import { fieldsIn } from '../phase/plain-data.js';
import { fileTypeOf, readEncoded, readFile, type ChangeText } from './read-file.js';

/** A text or a number inside a value. */
export type Leaf = string | number | bigint;

/** Edits a leaf; `label` is the key that names it. Keys themselves have none. */
type EditLeaf = (leaf: Leaf, label?: string) => Leaf;

/**
 * Changes the texts and numbers inside a value, including keys of objects, and shares all unchanged parts: the same value is returned if
 * nothing changed. Keys that become equal are numbered. A changed instance of a class becomes plain data, and a changed error becomes a
 * plain error. Text files are decoded, in an object that names their type, and as data URLs. Dates, other bytes and circular references
 * stay as they are.
 */
export const mapLeaves = (value: unknown, edit: EditLeaf, host?: HostData): unknown => readerOf(edit, host)(value);

const readerOf = (edit: EditLeaf, host?: HostData): MapInner => {
  const known = new Map<object, unknown>();
  const content = host && readerOf(host.editContent);
  const inner: MapInner = (one, label, fileType) => {
    if (typeof one === 'string') return readEncoded(one, fileType, changeOf(edit, label)) ?? edit(one, label);
    if (typeof one === 'number' || typeof one === 'bigint') return edit(one, label);
    if (typeof one !== 'object' || one === null) return one;
    if (known.has(one)) return known.get(one);
    known.set(one, one);
    const mapped = mapContainer(one, { edit, inner, label, fileType, keeps: host?.keeps, content });
    known.set(one, mapped);
    return mapped;
  };
  return inner;
};

type MapInner = (value: unknown, label?: string, fileType?: unknown) => unknown;

/** The texts in a file. */
const changeOf = (edit: EditLeaf, label?: string) => ({ change: (text: string) => String(edit(text, label)) });

/** Data of the host, with content of models and tools in it. */
interface HostData {
  /** The fields that stay, like all names. */
  readonly keeps: ReadonlySet<string>;
  readonly editContent: EditLeaf;
}

interface Mapping {
  readonly edit: EditLeaf;
  readonly inner: MapInner;
  /** The label of the container. */
  readonly label: string | undefined;
  /** The type of the file that contains it. */
  readonly fileType?: unknown;
  readonly keeps?: HostData['keeps'] | undefined;
  /** Reads the content in data of the host. */
  readonly content?: MapInner | undefined;
}

const boxed = /^\[object (?:String|Number)\]$/;

const mapContainer = (value: object, mapping: Mapping): unknown => {
  const { edit, inner, label, fileType } = mapping;
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return readFile(value, fileType, changeOf(edit, label));
  if (Array.isArray(value))
    return sameOr(
      value,
      mapItems(value, (one, name) => inner(one, name, fileType), label),
    );
  if (value instanceof Error) return mapError(value, inner);
  if (value instanceof Map || value instanceof Set) return mapCollection(value, inner);
  const { toJSON } = fieldsIn(value);
  const read = boxed.test(Object.prototype.toString.call(value)) ? value.valueOf : toJSON;
  if (typeof read !== 'function') return mapFields(value, mapping);
  const json: unknown = read.call(value);
  const mapped = inner(json, label, fileType);
  return Object.is(mapped, json) ? value : mapped;
};

const mapItems = (items: readonly unknown[], inner: MapInner, label?: string): unknown[] =>
  items.map((item, index) => inner(item, labelOfItem(items, index, label)));

const mapCollection = (value: Map<unknown, unknown> | Set<unknown>, inner: MapInner): unknown => {
  const items: unknown[] = [...value];
  const mapped = inner(items) as unknown[]; // a list of the same length
  if (mapped === items) return value;
  return value instanceof Map ? new Map(mapped as [unknown, unknown][]) : new Set(mapped); // its items are pairs
};

/** If an error's message, cause or any field changes, replaces it by a new error with only the message and the name. */
const mapError = (error: Error, inner: MapInner): Error => {
  const fields = [error.message, error.cause, Object.fromEntries(Object.entries(error))];
  const mapped = inner(fields) as typeof fields; // of the same length
  return mapped === fields ? error : Object.assign(new Error(String(mapped[0])), { name: error.name });
};

const mapFields = (fields: object, { edit, inner, label, fileType, keeps, content }: Mapping): object => {
  const before: [string, unknown][] = Object.entries(fields);
  const read = (name: string, value: unknown) => {
    const reader = content && isContent(fields, name, value) ? content : inner;
    return reader(value, labelOfField(fields, name, label), fileTypeOf(fieldsIn(fields), name, fileType));
  };
  const after = before.map(
    ([name, value]) => [keeps ? name : String(edit(name)), keeps?.has(name) ? value : read(name, value)] as const,
  );
  const isSame = after.every(([name, value], index) => name === before[index]?.[0] && Object.is(value, before[index][1]));
  return isSame ? fields : fieldsOf(after);
};

/** Creates an object without losing a field if two names have become equal. */
const fieldsOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const fields = new Map<string, unknown>();
  /** The last number that was assigned to a name. */
  const numbers = new Map<string, number>();
  for (const [name, value] of entries) {
    let free = name;
    let number = numbers.get(name) ?? 1;
    for (; fields.has(free); free = `${name} ${number}`) number += 1;
    numbers.set(name, number);
    fields.set(free, value);
  }
  return Object.fromEntries(fields);
};

/** The texts and numbers inside a value, including keys of objects. */
export const leavesOf = (value: unknown): Leaf[] => labelledLeavesOf(value).map(({ leaf }) => leaf);

/** The same, each with its label. */
export const labelledLeavesOf = (value: unknown): { readonly leaf: Leaf; readonly label: string | undefined }[] => {
  const leaves: { leaf: Leaf; label: string | undefined }[] = [];
  mapLeaves(value, (leaf, label) => {
    leaves.push({ leaf, label });
    return leaf;
  });
  return leaves;
};

/** Changes every text inside a value like {@link mapLeaves}: a changed number becomes a text. */
export const mapTexts = (value: unknown, change: ChangeText): unknown => mapLeaves(value, asText(change));

const asText =
  (change: ChangeText): EditLeaf =>
  (leaf, label) => {
    const text = String(leaf);
    const changed = change(text, label);
    return changed === text ? leaf : changed;
  };

/** Framing fields of the host's data, which are not text of the conversation. */
const framing = new Set(['type', 'role', 'from', 'reason', 'finishReason', 'state', 'id', 'runId', 'messageId', 'toolCallId']);

const contentField =
  /^(?:args|input|result|error|data|object|structuredOutput|(?:suspend|resume)Payload|(?:suspend|iteration)Output|finalWorkflowResult)$/;

/**
 * Whether a field has data of a model, a tool or a workflow's step, whose own fields may have names of framing fields. Chunks have their
 * frame in `payload`, and steps and runs in an `output` with their usage.
 */
const isContent = (fields: object, name: string, value: unknown): boolean => {
  if (name === 'payload') return !('type' in fields);
  return name === 'output' ? 'toolCallId' in fields || !('usage' in fieldsIn(value)) : contentField.test(name);
};

/**
 * Changes each text in data of the host, which may be cyclic. The host's field names, numbers and framing fields stay; content of models
 * and tools in it changes as by {@link mapTexts}. An instance of a class in which a text changes becomes a plain object.
 */
export const mapErrorTexts = (value: unknown, change: ChangeText): unknown =>
  mapLeaves(value, (leaf, label) => (typeof leaf === 'string' ? change(leaf, label) : leaf), {
    keeps: framing,
    editContent: asText(change),
  });

const sameOr = (before: readonly unknown[], after: unknown[]): readonly unknown[] =>
  after.every((one, index) => Object.is(one, before[index])) ? before : after;
