import type { MastraDBMessage, MastraMessagePart } from '@mastra/core/agent/message-list';

import { changeTexts, createPace, finding, inTurn, paced, replacementChars, type Steps } from '../../src/guard/in-steps.js';
import type { Pattern, TextSpan } from '../../src/guard/pattern.js';
import { type Awaitable, whenReady } from '../../src/phase/awaitable.js';
import { endsOf, allPartsOf, readPart, type ToolPart } from './read-messages.js';
import { type Leaf, mapLeaves } from '../../src/guard/map-texts.js';
import { definedFields, fieldsIn } from '../../src/phase/plain-data.js';

/** Messages after redaction; `messages` is the input array if nothing was found. */
interface RedactedMessages<Span extends TextSpan> {
  readonly messages: MastraDBMessage[];
  readonly found: Span[];
}

/**
 * Redacts the text and the text files of the messages in `targets`, and if it redacts an input, the model's reasoning and the calls of
 * tools. All other messages, parts, ids and fields stay unchanged. A message without a find stays the same object.
 */
export const redactMessages = <Span extends TextSpan>(
  messages: MastraDBMessage[],
  targets: readonly MastraDBMessage[],
  redaction: Redaction<Span>,
): Awaitable<RedactedMessages<Span>> => {
  const chosen = new Set(targets);
  const pace = createPace();
  return whenReady(paced(redactingMessages(messages, chosen, redaction), pace), (redacted) => {
    const found = [...redacted.found];
    const edit = (text: string, label?: string) =>
      whenReady(paced(redactingTexts([text], redaction, label), pace), (result) => {
        found.push(...result.found);
        return result.texts[0] ?? '';
      });
    const edited = inTurn(redacted.messages, (message, index) =>
      chosen.has(messages[index] as MastraDBMessage) ? editParts(message, edit, redaction) : message,
    );
    return whenReady(edited, (withFiles) => ({ messages: found.length > 0 ? withFiles : messages, found }));
  });
};

export type EditText = (text: string, label?: string) => Awaitable<string>;

/** A message with the texts of its files edited, and of its results; the same object if nothing changes. */
const editParts = (message: MastraDBMessage, edit: EditText, { input }: Redaction): Awaitable<MastraDBMessage> => {
  const parts = allPartsOf(message);
  const edited = inTurn(parts, (part): Awaitable<MastraMessagePart> => {
    if (part.type === 'file') return changeTexts((change) => readPart(part, change), edit);
    if (input && part.type === 'reasoning') return editReasoning(part, edit);
    return input && part.type === 'tool-invocation' ? editCall(part, edit, input) : part;
  });
  return whenReady(edited, (changed) =>
    changed.every((part, index) => part === parts[index])
      ? message
      : { ...message, content: { ...message.content, parts: changed, experimental_attachments: undefined } },
  );
};

const editReasoning = (part: ReasoningPart, edit: EditText): Awaitable<ReasoningPart> => {
  const given = [part.reasoning, ...part.details.map((detail) => ('text' in detail ? detail.text : ''))];
  return whenReady(editLeaves(given, edit), (edited) => {
    if (edited === given) return part;
    const [reasoning = '', ...texts] = edited as typeof given; // of the same shape
    const details = part.details.map((detail, index) => ('text' in detail ? { ...detail, text: texts[index] ?? '' } : detail));
    return { ...part, reasoning, details };
  });
};

type ReasoningPart = Extract<MastraMessagePart, { type: 'reasoning' }>;

/** A call with its arguments and its end edited, and the model's form of it. */
const editCall = (part: ToolPart, edit: EditText, { withResults }: NonNullable<Redaction['input']>): Awaitable<ToolPart> => {
  const { toolInvocation, providerMetadata } = part;
  const given = [toolInvocation.args, ...(withResults ? endsOf(part) : [])] as [unknown, ...Partial<ReturnType<typeof endsOf>>]; // the whole end or nothing
  return whenReady(editLeaves(given, edit), (edited) => {
    if (edited === given) return part;
    const [args, result, errorText, reason, output] = edited as typeof given; // of the same shape
    const { approval } = fieldsIn(toolInvocation);
    const ends = { args, result, errorText, approval: reason === undefined ? approval : { ...fieldsIn(approval), reason } };
    const metadata = output !== undefined && {
      ...providerMetadata,
      mastra: { ...providerMetadata?.['mastra'], modelOutput: output },
    };
    return {
      ...part,
      ...(metadata && { providerMetadata: metadata }),
      toolInvocation: { ...toolInvocation, ...definedFields(ends) },
    } as ToolPart; // as above
  });
};

function* redactingMessages<Span extends TextSpan>(
  messages: MastraDBMessage[],
  chosen: ReadonlySet<MastraDBMessage>,
  redaction: Redaction<Span>,
): Steps<RedactedMessages<Span>> {
  const found: Span[] = [];
  const edited: MastraDBMessage[] = [];
  for (const message of messages) {
    const redacted = chosen.has(message) ? yield* redactingMessage(message, redaction) : { message, found: [] };
    for (const span of redacted.found) found.push(span);
    edited.push(redacted.message);
  }
  return { messages: found.length > 0 ? edited : messages, found };
}

function* redactingMessage<Span extends TextSpan>(
  message: MastraDBMessage,
  redaction: Redaction<Span>,
): Steps<{ message: MastraDBMessage; found: readonly Span[] }> {
  const { parts, content } = message.content;
  const texts = (parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const fromParts = yield* redactingTexts(texts, redaction);
  const fromLegacy = yield* redactingTexts(typeof content === 'string' ? [content] : [], redaction);
  const found = fromParts.found.length > 0 ? fromParts.found : fromLegacy.found;
  if (found.length === 0) return { message, found };
  const next = fromParts.texts.values();
  const edited = (parts ?? []).map((part) => (part.type === 'text' ? withText(part, next.next().value ?? '') : part));
  const legacy = typeof content === 'string' ? { content: fromLegacy.texts[0] } : {};
  return { message: { ...message, content: { ...message.content, ...(parts && { parts: edited }), ...legacy } }, found };
}

const withText = <Part extends { text: string }>(part: Part, text: string): Part =>
  part.text === text ? part : { ...part, text };

/** The values to remove from a text, and their replacements. */
export interface Redaction<Span extends TextSpan = TextSpan> extends Pick<
  Pattern<Span>,
  'find' | 'isStepwise' | 'prepare' | 'labelled' | 'rest'
> {
  replacement(span: Span, value: string): string;
  /** Set for an input, where all parts of messages are read; the results of tools if it covers them. */
  readonly input?: { readonly withResults: boolean } | undefined;
  /** The texts without values: they are not searched again, and those that are found to have none are added. */
  readonly clean?: Pick<Set<string>, 'has' | 'add'>;
}

/** Texts after redaction, with the replaced spans; offsets refer to the text at the time of the replacement. */
interface Redacted<Span extends TextSpan> {
  readonly texts: readonly string[];
  readonly found: Span[];
}

/** A replacement can join two halves of a new value. Only a contradictory rule needs more rounds than this. */
const maxRounds = 8;

/**
 * Redacts texts that are shown one after another, such as the parts of a message. Each is redacted separately first, then the values
 * that only the joined text contains: such a value is replaced at its start, and its rest in the next texts is removed.
 * Repeated until nothing is found, so redacting twice changes nothing. Long texts are read step by step.
 */
export function* redactingTexts<Span extends TextSpan>(
  texts: readonly string[],
  redaction: Redaction<Span>,
  label?: string,
): Steps<Redacted<Span>> {
  const redacting = { redaction, found: [], label };
  const alone: string[] = [];
  for (const text of texts) alone.push(...(yield* untilStable([text], redacting)));
  return { texts: alone.length > 1 ? yield* untilStable(alone, redacting) : alone, found: redacting.found };
}

interface Redacting<Span extends TextSpan> {
  readonly redaction: Redaction<Span>;
  /** Collects the findings. */
  readonly found: Span[];
  /** The key of the field that contains the text. */
  readonly label: string | undefined;
}

function* untilStable<Span extends TextSpan>(
  given: readonly string[],
  { redaction, found, label }: Redacting<Span>,
): Steps<readonly string[]> {
  let texts = given;
  for (let round = 0; round < maxRounds; round += 1) {
    const joined = texts.join('');
    const clean = label === undefined ? redaction.clean : undefined;
    if (clean?.has(joined)) break;
    const isReplaced = (span: Span): boolean => {
      const value = joined.slice(span.start, span.end);
      return redaction.replacement(span, value) !== value;
    };
    const all = yield* finding(redaction, joined, label);
    const spans = round === 0 ? all : all.filter(isReplaced);
    if (all.length === 0) clean?.add(joined);
    if (spans.length === 0) break;
    for (const span of spans) found.push(span);
    texts = yield* replacingSpans(texts, { joined, spans, redaction });
  }
  return texts;
}

function* replacingSpans<Span extends TextSpan>(
  texts: readonly string[],
  { joined, spans, redaction }: { joined: string; spans: readonly Span[]; redaction: Redaction<Span> },
): Steps<string[]> {
  const replaced: string[] = [];
  let offset = 0;
  /** The first span that ends after the start of the text. */
  let first = 0;
  for (const text of texts) {
    const from = offset;
    offset += text.length;
    const redacted: string[] = [];
    let position = from;
    while (first < spans.length && (spans[first] as Span).end <= from) first += 1; // by the condition
    for (let index = first; index < spans.length; index += 1) {
      const span = spans[index] as Span; // as above
      if (span.start >= offset) break;
      yield replacementChars;
      if (span.start > position) redacted.push(text.slice(position - from, span.start - from));
      if (span.start >= from) redacted.push(redaction.replacement(span, joined.slice(span.start, span.end)));
      position = Math.min(span.end, offset);
    }
    replaced.push(redacted.join('') + text.slice(position - from));
  }
  return replaced;
}

/** A number may be that of a card or a person; shorter ones are amounts and counters. */
const minNumber = 1e8;

/** Edits the texts inside a JSON-like value, including keys and long numbers; returns the same value if nothing changed. */
export const editLeaves = (value: unknown, edit: (text: string, label?: string) => Awaitable<string>): Awaitable<unknown> =>
  changeTexts<unknown, Leaf>(
    (change) => mapLeaves(value, change),
    (leaf, label) => {
      if (typeof leaf !== 'string' && !isLong(leaf)) return leaf;
      const text = String(leaf);
      return whenReady(edit(text, label), (edited) => (edited === text ? leaf : edited));
    },
  );

const isLong = (leaf: number | bigint): boolean => leaf >= minNumber && (typeof leaf === 'bigint' || Number.isSafeInteger(leaf));
