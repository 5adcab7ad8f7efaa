import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { createPace, inTurn, type Pace } from '../../src/guard/in-steps.js';
import type { TextSpan } from '../../src/guard/pattern.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { redactTexts, type Redaction } from '../text/redact-texts.js';

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
): Awaitable<RedactedMessages<Span>> => {
  const chosen = new Set(which);
  const found: Span[] = [];
  const pace = createPace();
  const edited = inTurn(messages, (message) =>
    chosen.has(message)
      ? whenReady(redactMessage(message, redaction, pace), (redacted) => {
          for (const span of redacted.found) found.push(span);
          return redacted.message;
        })
      : message,
  );
  return whenReady(edited, (list) => ({ messages: found.length > 0 ? list : messages, found }));
};

const redactMessage = <Span extends TextSpan>(
  message: MastraDBMessage,
  redaction: Redaction<Span>,
  pace: Pace,
): Awaitable<{ message: MastraDBMessage; found: Span[] }> => {
  const { parts, content } = message.content;
  const texts = (parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const flat = typeof content === 'string' ? [content] : [];
  return whenReady(redactTexts(texts, redaction, pace), (fromParts) =>
    whenReady(redactTexts(flat, redaction, pace), (fromLegacy) => {
      const found = fromParts.found.length > 0 ? fromParts.found : fromLegacy.found;
      if (found.length === 0) return { message, found };
      const next = fromParts.texts.values();
      const edited = (parts ?? []).map((part) => (part.type === 'text' ? withText(part, next.next().value ?? '') : part));
      const legacy = typeof content === 'string' ? { content: fromLegacy.texts[0] } : {};
      return { message: { ...message, content: { ...message.content, ...(parts && { parts: edited }), ...legacy } }, found };
    }),
  );
};

const withText = <Part extends { text: string }>(part: Part, text: string): Part =>
  part.text === text ? part : { ...part, text };
