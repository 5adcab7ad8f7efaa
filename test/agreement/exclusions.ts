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
const saidIn = ({ text, reasoning, calls }: Saying): readonly string[] => [...text, ...reasoning, ...calls];
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

const partialWords: Exclusion = {
  why: 'A stream has words that left before the run ended otherwise, where its agent does not hold them.',
  link: 'docs/guide/streaming.md#hold',
  compares: (seen) => (seen.end[0] === 'success' ? seen : { ...seen, left: '', page: { text: '', reasoning: '' } }),
};

export const streamAndGenerate: readonly Exclusion[] = [
  {
    why: 'An answer that a provider gives at once has a finish reason, and comes whole or not at all.',
    link: 'docs/guide/ai-sdk.md#a-guarded-agent',
    leavesOut: hasEnd('cut', 'break'),
  },
  partialWords,
];

/** The phases that come when words may have left. */
const afterwards: ReadonlySet<string> = new Set(['outputStep', 'toolResult', 'outputResult']);

export const inAiSdk: readonly Exclusion[] = [
  partialWords,
  { why: 'There is no memory.', link: 'docs/guide/hosts.md#the-ai-sdk', compares: (seen) => ({ ...seen, saved: [] }) },
  {
    why: 'A retry on a tool’s result is that tool’s error.',
    link: 'docs/guide/hosts.md#the-ai-sdk',
    leavesOut: ({ rules }) => rules.some(({ phase, act }) => phase === 'toolResult' && act === 'retry'),
  },
  {
    why: 'A guard of a tool’s result is given the call without the words of its step, and fails the run where it changes the arguments.',
    link: 'docs/guide/ai-sdk-details.md#edits-of-earlier-steps',
    leavesOut: ({ opening, rules }) =>
      rules.some(
        ({ phase, act, word }) =>
          phase === 'toolResult' && act === 'edit' && opening.some((one) => saidIn(one).some((said) => said.includes(word))),
      ),
  },
  {
    why: 'Calls run where the provider says that it ended for them.',
    link: 'docs/guide/hosts.md#the-ai-sdk',
    leavesOut: ({ opening }) => opening.some(({ end }) => end === 'length' || end === 'cut'),
  },
  {
    why: 'A run that ends otherwise gives an error, and no steps.',
    link: 'docs/guide/ai-sdk.md#a-guarded-agent',
    compares: (seen) => (seen.end[0] === 'success' ? seen : { ...seen, steps: [] }),
  },
  {
    why: 'A step that is made again is not prepared again.',
    link: 'docs/guide/ai-sdk.md#what-the-ai-sdk-cannot-promise',
    leavesOut: ({ rules }) => rules.some(({ phase }) => phase === 'inputStep') && rules.some(({ act }) => act === 'retry'),
  },
  {
    why: 'What processInputStep changes is gone at the next step, where it is changed again.',
    link: 'docs/guide/ai-sdk-details.md#steps',
    compares: (seen) => ({
      ...seen,
      verdicts: seen.verdicts.map((line) => (line.startsWith('inputStep: ') ? line.replaceAll(' edit', ' pass') : line)),
    }),
  },
  {
    why: 'Words that have left cannot be taken back: with `hold: "chunk"` there is no other attempt, and no edit of them.',
    link: 'docs/guide/ai-sdk-details.md#when-words-leave',
    leavesOut: ({ hold, rules }) =>
      hold === 'none' && rules.some(({ phase, act }) => act === 'retry' || (act === 'edit' && afterwards.has(phase))),
  },
];

/** Whether a guard of answers changes steps before the last. */
const editsEarlier = ({ opening, closing, receipts, rules }: Script): boolean =>
  rules.some(({ phase, act, word }) => {
    if (act !== 'edit' || opening.length === 0) return false;
    const isEarlier = [...opening.flatMap(saidIn), ...receipts].some((said) => said.includes(word));
    const isLate = isEarlier && closing.some(({ text }) => text.includes(word));
    return phase === 'outputResult' || (phase === 'outputStep' && isLate);
  });

const lateEdit = {
  why: 'A guard of the answer that changes the steps before the last fails a stream whose words have left.',
  link: 'docs/guide/ai-sdk-details.md#edits-of-earlier-steps',
};

export const inAgentStream: readonly Exclusion[] = [
  ...inAiSdk,
  {
    ...lateEdit,
    leavesOut: (one) => {
      const isHeld = one.hold !== 'step' && one.rules.some(({ phase }) => phase === 'outputResult');
      return !isHeld && editsEarlier(one);
    },
  },
];

export const inStreamText: readonly Exclusion[] = [...inAiSdk, { ...lateEdit, leavesOut: editsEarlier }];

export const isDrawn =
  (exclusions: readonly Exclusion[]) =>
  (one: Script): boolean =>
    !exclusions.some(({ leavesOut }) => leavesOut?.(one));

export const comparedBy =
  (exclusions: readonly Exclusion[]) =>
  (seen: Seen): Seen =>
    exclusions.reduce((so, { compares }) => compares?.(so) ?? so, seen);
