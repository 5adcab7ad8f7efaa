import { InterlockError } from '../errors.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { pass, type Verdict } from '../verdict.js';
import type { StaleVerdicts } from './graph.js';
import { mergeValues } from './merge.js';
import { MergeConflict, nameOfRule, type MergeOptions, type OverlapRule, type Version } from './overlap.js';
import { isSame } from '../phase/plain-data.js';

/** A parallel block or a branch at one position of a pipeline. */
export interface Block<P extends Phase> {
  readonly row: PhaseRow<P>;
  readonly path: string;
  readonly overlap: OverlapRule;
  readonly staleVerdicts: StaleVerdicts;
}

/** The results of a block's branches for a payload. */
export interface MergeBranchesOptions<P extends Phase> {
  readonly data: PhaseData<P>;
  /** The ids of the branches; a processor's step id (`processor:pii`) counts as its name. */
  readonly branches: readonly { readonly id: string }[];
  /** Each branch's result, in the same order: its snapshot, possibly edited in place, or its new payload. */
  readonly results: readonly PhaseData<P>[];
  readonly block: Block<P>;
  readonly scope: RunScope;
}

/**
 * Merges the branches' versions of a payload; the merged messages are written into the payload's own list. An overlap under the rule
 * `error` (`pipeline/conflict`), and a rule function that throws, result in no verdict. `writers`: the indexes of the branches that changed
 * anything.
 */
export const mergeBranches = <P extends Phase>(
  options: MergeBranchesOptions<P>,
): { readonly verdict: Verdict<PhaseData<P>>; readonly writers: ReadonlySet<number> } => {
  const { data, block, scope } = options;
  const { row, path } = block;
  const writers = new Set<number>();
  const merging = { ...options, writers };
  try {
    const followed = mergeLists(merging) ? (row.refresh?.(data, scope.host) ?? data) : data;
    const merged = mergeFields(merging, followed);
    return { verdict: merged === data ? pass : { kind: 'edit', data: merged }, writers };
  } catch (cause) {
    const error = mergeError(path, cause);
    return { verdict: { kind: 'unavailable', processorId: path, phase: row.phase, path, error }, writers };
  }
};

const mergeError = (path: string, cause: unknown): unknown =>
  cause instanceof MergeConflict ? new InterlockError('pipeline/conflict', { path, detail: cause.message, cause }) : cause;

type Fields = Record<string, unknown>;

/** The name of a branch in reports and merges. */
export const authorOf = ({ id }: { readonly id: string }): string => id.replace(/^processor:/, '');

/** A merge, and the branches that changed anything so far. */
interface Merging<P extends Phase> extends MergeBranchesOptions<P> {
  readonly writers: Set<number>;
}

/** Creation times are set by the host and are not edits. */
const times: ReadonlySet<string> = new Set(['createdAt']);

/** The versions that differ from the base, with the id of their branch. */
const versionsOf = <P extends Phase>({ branches, writers }: Merging<P>, base: unknown, values: readonly unknown[]): Version[] =>
  values.flatMap((value, index): Version[] => {
    const branch = branches[index];
    if (!branch || isSame(base, value, times)) return [];
    writers.add(index);
    return [{ author: authorOf(branch), value }];
  });

const optionsOf = <P extends Phase>({ block, scope }: MergeBranchesOptions<P>): MergeOptions => {
  const { row, path, overlap } = block;
  return {
    rule: overlap,
    onOverlap: ({ target, edits }) =>
      scope.reportConflict({
        phase: row.phase,
        path,
        rule: nameOfRule(overlap),
        target,
        authors: edits.map((edit) => edit.author),
      }),
  };
};

/** Times, and the ids of messages that were replaced by new ones. */
const bookkeeping = /(^|\.)createdAt$|^messages\.\d+\.id$/;

/** Merges the messages into the payload's list, in phases whose hooks change messages; returns whether they changed. */
const mergeLists = <P extends Phase>(merging: Merging<P>): boolean => {
  const { data, results, scope, block } = merging;
  const { messages } = scope.host;
  const { messageList: list }: MessageCarrier = data;
  const lists = results.map(({ messageList }: MessageCarrier) => messageList ?? list);
  if (!list || !block.row.refresh) return false;
  const changed = lists.map((own) => (own && own !== list && !messages.isUnchanged(own, list) ? own : undefined));
  if (!changed.some(Boolean)) return false;
  const base = messages.snapshot(list);
  const states = changed.map((own) => (own ? messages.snapshot(own) : base));
  const options = { ...optionsOf(merging), isBookkeeping: (target: string) => bookkeeping.test(target) };
  const merged = mergeValues(base, versionsOf(merging, base, states), { options, target: '' });
  if (merged === base) return false;
  messages.restore(list, merged);
  return true;
};

/** Fields derived from the list, and fields that an engine passes along with the payload. */
const unmerged = new Set(['messageList', 'messages', 'systemMessages', 'processorStates', 'abortSignal']);

/** Merges all fields that do not come from the list; returns the payload itself if nothing changed. */
const mergeFields = <P extends Phase>(merging: Merging<P>, followed: PhaseData<P>): PhaseData<P> => {
  const { data, results, block } = merging;
  const base: Fields = data;
  const implied: Fields = block.row.implies?.(data) ?? {};
  const changed: Fields = {};
  for (const name of touchedIn(merging, followed)) {
    const valueIn = (fields: Fields) => (fields[name] === undefined ? implied[name] : fields[name]);
    const before = valueIn(base);
    const versions = versionsOf(merging, before, results.map(valueIn));
    if (versions.length === 0) continue;
    const options = { ...optionsOf(merging), isWhole: wholeIn(block.row.merge?.whole ?? []) };
    changed[name] = mergeValues(before, versions, { options, target: name });
  }
  return Object.keys(changed).length === 0 ? followed : { ...followed, ...changed };
};

/** The fields that some branch replaced by another value. Values are not inspected: this runs for every chunk of a stream. */
const touchedIn = <P extends Phase>({ data, results, block }: MergeBranchesOptions<P>, followed: PhaseData<P>): Set<string> => {
  const base: Fields = data;
  const { onlyRead = [] } = block.row;
  const touched = new Set<string>();
  for (const result of results as readonly Fields[]) {
    for (const name in base) if (result[name] !== base[name]) touched.add(name);
    for (const name in result) if (result[name] !== base[name]) touched.add(name);
  }
  for (const name of touched)
    if (unmerged.has(name) || onlyRead.includes(name) || (followed as Fields)[name] !== base[name]) touched.delete(name);
  return touched;
};

const wholeIn =
  (names: readonly string[]) =>
  (target: string): boolean =>
    names.some((name) => (name.endsWith('.*') ? target.startsWith(name.slice(0, -1)) : target === name));
