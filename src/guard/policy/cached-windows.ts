import type { Phase, PhaseData } from '../../phase/row.js';
import { pass } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import { contextOf, windowKey } from './content.js';
import type { CachedEdit } from './policy-state.js';
import type { LayerSite } from './layer.js';
import { remembering } from './remembering.js';

/**
 * `cache.windows`: repeats the guard's decision about a window of a stream for the same text, in any part, attempt or run. The verdict
 * may depend only on the text, on whether it is text or reasoning, and on the request's context. Matches of a pattern, tool calls and
 * other chunks are judged each time.
 */
export const cachedWindows = <P extends Phase>(inner: Guard<P>, site: LayerSite<P>): Guard<P> =>
  remembering(inner, site, {
    read: (data, scope) => {
      const window = windowIn(data);
      if (!window) return undefined;
      const context = contextOf(scope);
      const keep = (made: PhaseData<P>) => (contextOf(scope) === context ? keepText(made, window) : undefined);
      return { key: windowKey(window, context), keep };
    },
    remake: ({ fields }, data) => ({ ...data, part: withText(data, fields['text']) }),
  });

/** A window of a stream: a delta that contains only its text. */
interface Window {
  readonly type: string;
  readonly text: string;
}

const textTypes = new Set<unknown>(['text-delta', 'reasoning-delta']);

const windowIn = (data: object): Window | undefined => {
  const { part } = data as { part?: { type?: unknown; match?: unknown; payload?: object } | null };
  if (!part || part.match || !textTypes.has(part.type)) return undefined;
  const { text, id: _id, ...more } = (part.payload ?? {}) as { text?: unknown; id?: unknown };
  return typeof text === 'string' && Object.keys(more).length === 0 ? { type: part.type as string, text } : undefined; // one of the set
};

/** A changed or removed text can be applied to another chunk; any other result cannot. */
const keepText = (made: object, window: Window): CachedEdit | typeof pass | undefined => {
  if ((made as { part?: unknown }).part === null) return cachedEdit(null);
  const edited = windowIn(made);
  if (edited?.type !== window.type) return undefined;
  return edited.text === window.text ? pass : cachedEdit(edited.text);
};

const cachedEdit = (text: string | null): CachedEdit => ({ kind: 'edit', fields: { text }, conversation: undefined });

const withText = (data: object, text: unknown): unknown => {
  const { part } = data as { part: { payload: object } }; // a window
  return text === null ? null : { ...part, payload: { ...part.payload, text } };
};
