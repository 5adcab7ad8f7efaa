import type { HookContext } from '../phase/row.js';
import { mapTexts } from './map-texts.js';

/** Content that must not be told, and from how many characters in a row on a quotation of it counts. */
export interface Untold {
  readonly content: string;
  readonly fromChars: number;
}

const ellipsis = '…';

/** A text without its quotations of a content. */
export const withoutQuotes = (text: string, { content, fromChars }: Untold): string => {
  const least = Math.min(fromChars, content.length);
  if (least === 0) return text;
  let kept = '';
  for (let at = 0; at < text.length;) {
    const length = quotedFrom(text.slice(at), content, least);
    kept += length > 0 ? ellipsis : text.charAt(at);
    at += Math.max(1, length);
  }
  return kept;
};

/** How many characters at the beginning of a text stand in a content, too; 0 where they are fewer than `least`. */
const quotedFrom = (text: string, content: string, least: number): number => {
  let length = 0;
  while (length < text.length && content.includes(text.slice(0, Math.max(least, length + 1))))
    length = Math.max(least, length + 1);
  return Math.min(length, text.length) >= least ? length : 0;
};

/** What a hook is handed, with an `abort` that tells nothing of a content: neither in its reason nor in its metadata. */
export const tellingNothingOf = (context: HookContext, untold: Untold): HookContext => {
  const change = (text: string) => withoutQuotes(text, untold);
  return {
    ...context,
    abort: (reason, options) =>
      context.abort(reason && change(reason), options && { ...options, metadata: mapTexts(options.metadata, change) }),
  };
};
