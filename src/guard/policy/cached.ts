import { whenReady } from '../../phase/awaitable.js';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { pass, type Verdict } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import { contentKey, contentOf, type Content } from './content.js';
import { applyEdit, conversational, keepEdit } from './kept-edit.js';
import type { KeptVerdict } from './kept-verdict.js';
import type { LayerSite } from './layer.js';

/**
 * `cache`: what the guard decided about a content it decides again, edits included, without being asked. Not kept are outages; calls
 * of a guard that keeps a `state` in the run, writes to the client or into the request's context, for there is more to such a call
 * than its verdict; and what cannot be told apart.
 */
export const cached = <P extends Phase>(inner: Guard<P>, site: LayerSite<P>): Guard<P> => {
  const { author, row, state } = site;
  const { verdicts } = state;
  if (!verdicts) return inner;
  const hasState = (scope: RunScope) => Object.keys(scope.slot(author.processorId).state).length > 0;
  return (data, scope) => {
    const before = hasState(scope) ? undefined : contentIn(data, scope);
    if (!before) return inner(data, scope);
    const key = contentKey(before, row.phase, data.retryCount ?? scope.retryCount);
    const kept = verdicts.get(key);
    if (kept) return again(kept, data, { scope, site });
    const watched = watchWriter(scope);
    const base = keepEdit(site, data, scope);
    return whenReady(inner(data, watched.scope), (verdict) => {
      const found = hasState(scope) || watched.hasWritten() ? undefined : keep(verdict, { data, before, scope, base });
      if (found) verdicts.set(key, found);
      return verdict;
    });
  };
};

/** What cannot be written down is not looked up. */
const contentIn = (data: PhaseData, scope: RunScope): Content | undefined => {
  try {
    return contentOf(data, scope);
  } catch {
    return undefined;
  }
};

interface Keeping<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly before: Content;
  readonly scope: RunScope;
  readonly base: ReturnType<typeof keepEdit<P>>;
}

const keep = <P extends Phase>(verdict: Verdict<PhaseData<P>>, keeping: Keeping<P>): KeptVerdict | undefined => {
  switch (verdict.kind) {
    case 'pass':
    case 'edit':
      return keepMade(verdict.kind === 'edit' ? verdict.data : keeping.data, keeping);
    case 'trip':
    case 'retry':
      return verdict;
    case 'unavailable':
      return undefined;
    default:
      return verdict satisfies never;
  }
};

/** A guard that passes may have changed its payload in place. */
const keepMade = <P extends Phase>(made: PhaseData<P>, { data, before, scope, base }: Keeping<P>): KeptVerdict | undefined => {
  const after = contentIn(made, scope);
  if (!after || after.requestContext !== before.requestContext) return undefined;
  const isReplaced = (name: string) =>
    !conversational.has(name) && (made as Record<string, unknown>)[name] !== (data as Record<string, unknown>)[name];
  const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name] || isReplaced(name));
  return changed.length > 0 ? base(made, new Set(changed)) : pass;
};

interface Again<P extends Phase> {
  readonly scope: RunScope;
  readonly site: LayerSite<P>;
}

const again = <P extends Phase>(kept: KeptVerdict, data: PhaseData<P>, { scope, site }: Again<P>): Verdict<PhaseData<P>> => {
  switch (kept.kind) {
    case 'pass':
      return pass;
    case 'edit':
      return { kind: 'edit', data: applyEdit(kept, data, { scope, site }) };
    case 'trip':
    case 'retry':
      return { ...kept, ...site.author };
    default:
      return kept satisfies never;
  }
};

/** What a guard writes to the client is part of what it does, and would be missing where it is not asked. */
const watchWriter = (scope: RunScope): { scope: RunScope; hasWritten(): boolean } => {
  let written = false;
  const { writer } = scope;
  if (!writer) return { scope, hasWritten: () => false };
  const watching: RunScope['writer'] = {
    custom: (...args) => {
      written = true;
      return writer.custom(...args);
    },
  };
  return {
    scope: Object.create(scope, { writer: { value: watching, enumerable: true } }) as RunScope,
    hasWritten: () => written,
  };
};
