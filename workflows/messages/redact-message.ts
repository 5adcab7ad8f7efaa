import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { createPace, inTurn, paced, type Steps } from '../../src/guard/in-steps.js';
import type { TextSpan } from '../../src/guard/pattern.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { editFiles } from './message-files.js';
import { redactingTexts, type Redaction } from '../text/redact-texts.js';

/** Messages after redaction; `messages` is the input array if nothing was found. */
interface RedactedMessages<Span extends TextSpan> {
  readonly messages: MastraDBMessage[];
  readonly found: Span[];
}

/**
 * Redacts the text and the text files of the messages in `which`. All other messages, parts, ids and
 * fields stay unchanged. A message without a find stays the same object.
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
    const edit = (text: string) =>
      whenReady(paced(redactingTexts([text], redaction), pace), (result) => {
        found.push(...result.found);
        return result.texts[0] ?? '';
      });
    const edited = inTurn(redacted.messages, (message, index) =>
      chosen.has(messages[index] as MastraDBMessage) ? editFiles(message, edit) : message,
    );
    return whenReady(edited, (withFiles) => ({ messages: found.length > 0 ? withFiles : messages, found }));
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
