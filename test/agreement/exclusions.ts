import type { Saying, Script } from './script.js';
import type { Seen } from './seen.js';

/** Where entrances differ on purpose. */
export interface Exclusion {
  readonly why: string;
  /** The page that says so. */
  readonly link: string;
  /** Which scripts are not drawn. Default: none. */
  readonly leavesOut?: (one: Script) => boolean;
  /** What is compared in place of what was seen. */
  readonly compares?: (seen: Seen) => Seen;
}

const sayings = ({ opening, closing }: Script): readonly Saying[] => [...opening, ...closing];
const hasEnd =
  (...ends: readonly Saying['end'][]) =>
  (one: Script) =>
    sayings(one).some(({ end }) => ends.includes(end));

export const afterApproval: readonly Exclusion[] = [
  {
    why: 'A message of the caller that memory has kept while the run waited stays, whatever the end.',
    link: 'docs/guide/memory.md',
    compares: (seen) =>
      seen.end[0] === 'success' ? seen : { ...seen, saved: seen.saved.filter((message) => !message.startsWith('user: ')) },
  },
];

export const streamAndGenerate: readonly Exclusion[] = [
  {
    why: 'An answer that a provider gives at once has a finish reason, and comes whole or not at all.',
    link: 'docs/guide/ai-sdk.md',
    leavesOut: hasEnd('cut', 'break'),
  },
  {
    why: 'A stream has words that left before the run ended otherwise, where its agent does not hold them.',
    link: 'docs/guide/streaming.md#hold',
    compares: (seen) => (seen.end[0] === 'success' ? seen : { ...seen, left: '' }),
  },
];

export const isDrawn =
  (exclusions: readonly Exclusion[]) =>
  (one: Script): boolean =>
    !exclusions.some(({ leavesOut }) => leavesOut?.(one));

export const comparedBy =
  (exclusions: readonly Exclusion[]) =>
  (seen: Seen): Seen =>
    exclusions.reduce((so, { compares }) => compares?.(so) ?? so, seen);
