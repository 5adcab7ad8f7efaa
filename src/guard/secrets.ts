import type { Processor } from '@mastra/core/processors';
import type { Awaitable } from '../phase/awaitable.js';

/** The placeholder that a model gets for a hidden value, e.g. `[EMAIL_1]`. */
export const placeholder = /\[[A-Z][A-Z0-9_]{0,31}_\d{1,6}\]/;

/** The placeholder of a hidden value in a recorded run: `⟦EMAIL_1⟧` for the value that the model gets as `[EMAIL_1]`. */
export const standIn = /⟦[A-Z][A-Z0-9_]{0,31}_\d{1,6}⟧/;

/** The stand-in for the value of a placeholder. */
export const standInOf = (name: string): string => `⟦${name.slice(1, -1)}⟧`;

/** The placeholder of a stand-in. */
export const placeholderOf = (name: string): string => `[${name.slice(1, -1)}]`;

/** A processor with secrets that must not be recorded. */
export interface SecretsProcessor extends Processor {
  /**
   * The recordable version of a text: with placeholders for its secrets. `state` is the processor's own in the run, `label` the key of the
   * field that contains the text.
   */
  readonly conceal?: (text: string, state: object, label?: string) => string;
  /** Reads what will be recorded, each text with the key of its field, for secrets that `conceal` cannot find in a text by itself. */
  readonly readAhead?: (texts: readonly { text: string; label: string | undefined }[], state: object) => Awaitable<unknown>;
  /** Prepares for a replay, whose recorded texts contain stand-ins for secrets. */
  readonly expectStandIns?: (state: object) => void;
}

/** Content that must not be repeated, and the minimal length of a quotation in characters. */
export interface SecretContent {
  readonly content: string;
  readonly fromChars: number;
}

const ellipsis = '…';

/** Removes quotations of a content from a text. Linear in both. */
export const stripQuotedSecrets = (text: string, { content, fromChars }: SecretContent): string => {
  const least = Math.min(fromChars, content.length);
  if (least === 0 || text.length < least) return text;
  const quoted = quotedIn(text, content, least);
  if (quoted.size === 0) return text;
  let stripped = '';
  let until = 0;
  for (let at = 0; at < text.length; at += 1) {
    const wasQuoted = at < until;
    if (quoted.has(text.slice(at, at + least))) until = at + least;
    if (at >= until) stripped += text.charAt(at);
    else if (!wasQuoted) stripped += ellipsis;
  }
  return stripped;
};

/** The pieces of a text, of this length each, that also occur in a content. */
const quotedIn = (text: string, content: string, length: number): ReadonlySet<string> => {
  const pieces = new Set<string>();
  for (let at = 0; at + length <= text.length; at += 1) pieces.add(text.slice(at, at + length));
  const quoted = new Set<string>();
  for (let at = 0; at + length <= content.length; at += 1) {
    const piece = content.slice(at, at + length);
    if (pieces.has(piece)) quoted.add(piece);
  }
  return quoted;
};
