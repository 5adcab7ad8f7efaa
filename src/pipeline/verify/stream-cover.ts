import { isAlways } from '../constant-condition.js';
import { otherwise, type BranchNode } from '../graph.js';
import type { Check } from './check.js';
import { isGuard, rowsOf, streamRow, type GuardLocation, type GraphLocation } from './graph-location.js';

/**
 * The coverage of a stream by a part of a pipeline: every chunk gets a verdict that counts, or some may get none; undefined if the part
 * does not judge the stream.
 */
type Cover = 'whole' | Gap | undefined;

interface Gap {
  readonly path: string;
  readonly detail: string;
}

/** A pipeline that judges only parts of a stream. */
export const unjudgedChunk: Check = {
  severity: 'warning',
  find: ({ roots }) =>
    roots.flatMap((root) => {
      const cover = coverOf(root);
      if (cover === undefined || cover === 'whole') return [];
      return [
        { ...cover, shows: { state: streamRow.loopState, happens: `a chunk is emitted without a verdict: ${cover.detail}` } },
      ];
    }),
};

const coverOf = (place: GraphLocation): Cover => {
  if (isGuard(place)) return coverOfGuard(place);
  if (isBranch(place)) return coverOfBranch(place);
  return best(place.children.map(coverOf)); // in sequence or in parallel: all of them run
};

const isBranch = (place: GraphLocation): place is GraphLocation<BranchNode> => place.node.kind === 'branch';

/** The coverage of several parts that all run. */
const best = (covers: readonly Cover[]): Cover =>
  covers.find((cover) => cover === 'whole') ?? covers.find((cover) => cover !== undefined);

/** Every chunk is judged by an arm that always matches; or, with `otherwise`, by whichever arm runs. */
const coverOfBranch = ({ node, path, children }: GraphLocation<BranchNode>): Cover => {
  const covers = children.map(coverOf);
  const isOtherwise = node.arms.map(({ when }) => when === otherwise);
  const always = best(covers.filter((_, index) => !isOtherwise[index] && isAlways(node.arms[index]?.when)));
  if (always !== undefined || best(covers) === undefined) return always;
  if (isOtherwise.includes(true) && covers.every(Boolean)) return covers.find((cover) => cover !== 'whole') ?? 'whole';
  return { path, detail: 'possibly no arm with a stream guard runs' };
};

const coverOfGuard = (guard: GuardLocation): Cover => {
  if (!rowsOf(guard).includes(streamRow)) return undefined;
  const why = reasonNotCalled(guard);
  return why ? { path: guard.path, detail: `"${guard.node.id}" ${why}` } : 'whole';
};

/** The reason why an existing hook may give no verdict. */
const reasonNotCalled = ({ node: { policy } }: GuardLocation): string | undefined => {
  if (policy?.shadow) return 'is a shadow guard';
  if ((policy?.sampleRate ?? 1) < 1) return `runs only in a share of ${policy?.sampleRate} of the runs`;
  return policy?.onUnavailable === 'pass' ? 'passes chunks if it is unavailable' : undefined;
};
