import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { redactTexts, type Redacted, type Redaction } from '../text/redact-texts.js';
import type { TextSpan } from '../../src/guard/pattern.js';

/** Messages after redaction; `messages` is the array that came in where nothing was found. */
export interface RedactedMessages<Span extends TextSpan> {
  readonly messages: MastraDBMessage[];
  readonly found: Span[];
}

/**
 * Redacts the text of those messages that are in `which`, and leaves the others, every part that is not text, ids and all other
 * fields as they are. A message without a find stays the same object.
 */
export const redactMessages = <Span extends TextSpan>(
  messages: MastraDBMessage[],
  which: readonly MastraDBMessage[],
  redaction: Redaction<Span>,
): RedactedMessages<Span> => {
  const chosen = new Set(which);
  const found: Span[] = [];
  const edited = messages.map((message) => {
    if (!chosen.has(message)) return message;
    const redacted = redactMessage(message, redaction);
    found.push(...redacted.found);
    return redacted.message;
  });
  return { messages: found.length > 0 ? edited : messages, found };
};

const redactMessage = <Span extends TextSpan>(
  message: MastraDBMessage,
  redaction: Redaction<Span>,
): { message: MastraDBMessage; found: Span[] } => {
  const { parts, content } = message.content;
  const texts = (parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const fromParts = redactTexts(texts, redaction);
  const fromLegacy: Redacted<Span> = typeof content === 'string' ? redactTexts([content], redaction) : { texts: [], found: [] };
  const found = fromParts.found.length > 0 ? fromParts.found : fromLegacy.found;
  if (found.length === 0) return { message, found };
  const next = fromParts.texts.values();
  const edited = (parts ?? []).map((part) => (part.type === 'text' ? withText(part, next.next().value ?? '') : part));
  const legacy = typeof content === 'string' ? { content: fromLegacy.texts[0] } : {};
  return { message: { ...message, content: { ...message.content, ...(parts && { parts: edited }), ...legacy } }, found };
};

const withText = <Part extends { text: string }>(part: Part, text: string): Part =>
  part.text === text ? part : { ...part, text };
