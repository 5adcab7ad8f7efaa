import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { pass } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import { contentKey, contentOf, type Content } from './content.js';
import { applyEdit, conversational, toCachedEdit } from './cached-edit.js';
import type { LayerSite } from './layer.js';
import { remembering, type Seen } from './remembering.js';

/**
 * `cache`: what the guard decided about a content it decides again, edits included, without being asked. Beside what is never kept,
 * not kept are calls that write into the request's context, and what cannot be told apart.
 */
export const cached = <P extends Phase>(inner: Guard<P>, site: LayerSite<P>): Guard<P> =>
  remembering(inner, site, {
    look: (data, scope) => {
      const before = contentOf(data, scope);
      const key = contentKey(before, site.row.phase, data.retryCount ?? scope.retryCount);
      const base = toCachedEdit(site, data, scope);
      return { key, keep: (made) => keepMade(made, { data, before, scope, base }) };
    },
    remake: (kept, data, scope) => applyEdit(kept, data, { scope, site }),
  });

interface CacheOptions<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly before: Content;
  readonly scope: RunScope;
  readonly base: ReturnType<typeof toCachedEdit<P>>;
}

const keepMade = <P extends Phase>(
  made: PhaseData<P>,
  { data, before, scope, base }: CacheOptions<P>,
): ReturnType<Seen<P>['keep']> => {
  const after = contentIn(made, scope);
  if (!after || after.requestContext !== before.requestContext) return undefined;
  const isReplaced = (name: string) =>
    !conversational.has(name) && (made as Record<string, unknown>)[name] !== (data as Record<string, unknown>)[name];
  const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name] || isReplaced(name));
  return changed.length > 0 ? base(made, new Set(changed)) : pass;
};

/** What was made may be such that it cannot be written down. */
const contentIn = (made: PhaseData, scope: RunScope): Content | undefined => {
  try {
    return contentOf(made, scope);
  } catch {
    return undefined;
  }
};
