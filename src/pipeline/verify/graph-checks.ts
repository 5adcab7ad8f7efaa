import { hasAnyHook } from '../graph.js';
import type { Check } from './check.js';
import { guardsFrom, locationsFrom, type GuardLocation, type GraphLocation } from './graph-location.js';

const hasId = ({ node }: GraphLocation): boolean => !('id' in node) || (typeof node.id === 'string' && node.id !== '');

/** A pipeline or processor without a name: neither its verdicts nor its state could be told from another's. */
export const missingId: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots
      .flatMap(locationsFrom)
      .filter((place) => !hasId(place))
      .map(({ within }) => ({ path: within })),
};

/** Two processors of one name share their state, and their verdicts cannot be told apart. In two lanes it is one processor. */
export const duplicateId: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots.flatMap((root) => {
      const seen = new Set<string>();
      const isSecond = ({ node: { id } }: GuardLocation) => seen.has(id) || !seen.add(id);
      const second = guardsFrom(root).filter((guard) => hasId(guard) && isSecond(guard));
      return second.map(({ node, path }) => ({ path, detail: `"${node.id}"` }));
    }),
};

const holdsNodes = ({ node: { kind } }: GraphLocation): boolean =>
  kind === 'sequence' || kind === 'parallel' || kind === 'branch';

/** A pipeline, block or branch with nothing in it. */
export const empty: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots
      .flatMap(locationsFrom)
      .filter((place) => holdsNodes(place) && place.children.length === 0)
      .map(({ path }) => ({ path })),
};

/** A processor that nothing would ever call. */
export const noHook: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots
      .flatMap(guardsFrom)
      .filter((guard) => hasId(guard) && !hasAnyHook(guard.node.processor))
      .map(({ path }) => ({ path })),
};
