import { whenReady } from '../../phase/awaitable.js';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { pass, type Author, type Verdict } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import type { CachedEdit, CachedVerdict } from './policy-state.js';
import type { LayerSite } from './layers.js';

/** Decides which calls of a guard are equal, and repeats a cached edit. */
interface Memory<P extends Phase> {
  /** Reads a payload before the guard's call; undefined if its verdict must not be cached. An error counts as undefined. */
  read(data: PhaseData<P>, scope: RunScope): RecordedInput<P> | undefined;
  /** Repeats a cached edit. */
  remake(edit: CachedEdit, data: PhaseData<P>, scope: RunScope): PhaseData<P>;
}

/** The guard's input. */
export interface RecordedInput<P extends Phase> {
  /** Equal for equal calls. */
  readonly key: string;
  /** The guard's edit, to be repeated; undefined if that is impossible. */
  keep(made: PhaseData<P>): CachedEdit | typeof pass | undefined;
}

/**
 * Repeats an earlier verdict for an equal call. Not cached: outages, and calls of a guard that keeps a `state` in the run or writes to
 * the client, because they do more than return a verdict.
 */
export const remembering = <P extends Phase>(inner: Guard<P>, { author, state }: LayerSite<P>, memory: Memory<P>): Guard<P> => {
  const { verdicts } = state;
  if (!verdicts) return inner;
  return (data, scope) => {
    const call = watchCall(author, scope);
    const seen = call && readFields(data, scope, memory);
    if (!call || !seen) return inner(data, scope);
    const known = verdicts.get(seen.key);
    if (known) return again(known, author, (edit) => memory.remake(edit, data, scope));
    return whenReady(inner(data, call.scope), (verdict) => {
      const cached = call.didMore() ? undefined : keep(verdict, data, seen);
      if (cached) verdicts.set(seen.key, cached);
      return verdict;
    });
  };
};

/** Payloads that cannot be serialized are not cached. */
const readFields = <P extends Phase>(data: PhaseData<P>, scope: RunScope, memory: Memory<P>): RecordedInput<P> | undefined => {
  try {
    return memory.read(data, scope);
  } catch {
    return undefined;
  }
};

/** A guard that passes may have changed its payload in place. */
const keep = <P extends Phase>(
  verdict: Verdict<PhaseData<P>>,
  data: PhaseData<P>,
  seen: RecordedInput<P>,
): CachedVerdict | undefined => {
  switch (verdict.kind) {
    case 'pass':
    case 'edit':
      return seen.keep(verdict.kind === 'edit' ? verdict.data : data);
    case 'trip':
    case 'retry':
      return verdict;
    case 'unavailable':
      return undefined;
    default:
      return verdict satisfies never;
  }
};

const again = <P extends Phase>(
  known: CachedVerdict,
  author: Author,
  remake: (edit: CachedEdit) => PhaseData<P>,
): Verdict<PhaseData<P>> => {
  switch (known.kind) {
    case 'pass':
      return pass;
    case 'edit':
      return { kind: 'edit', data: remake(known) };
    case 'trip':
    case 'retry':
      return { ...known, ...author };
    default:
      return known satisfies never;
  }
};

interface WatchedCall {
  /** The guard's scope. */
  readonly scope: RunScope;
  /** Whether it left a state in the run, or wrote to the client, which a cached verdict would not repeat. */
  didMore(): boolean;
}

/** Observes the guard's next call; undefined if the guard has a state in this run, because its verdict may depend on it. */
const watchCall = ({ processorId }: Author, scope: RunScope): WatchedCall | undefined => {
  const { writer } = scope;
  const hasState = () => Object.keys(scope.slot(processorId).state).length > 0;
  if (hasState()) return undefined;
  if (!writer) return { scope, didMore: hasState };
  let hasWritten = false;
  const watching: RunScope['writer'] = {
    custom: (...args) => {
      hasWritten = true;
      return writer.custom(...args);
    },
  };
  return {
    scope: Object.create(scope, { writer: { value: watching, enumerable: true } }) as RunScope,
    didMore: () => hasWritten || hasState(),
  };
};
