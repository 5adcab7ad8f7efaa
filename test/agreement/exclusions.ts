import { mail, type Rule, type Saying, type Script } from './script.js';
import type { Seen } from './seen.js';

/** An intended difference between entrances. */
export interface Exclusion {
  readonly why: string;
  /** The page that documents it. */
  readonly link: string;
  /** Excludes scripts from the draw. Default: none. */
  readonly leavesOut?: (one: Script) => boolean;
  /** The compared part of the records. */
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
  compares: (seen) => (seen.end[0] === 'success' ? seen : { ...seen, left: '', page: { text: '', reasoning: '' }, objects: [] }),
};

export const streamAndGenerate: readonly Exclusion[] = [
  {
    why: 'An answer that a provider gives at once has a finish reason, and comes whole or not at all.',
    link: 'docs/guide/ai-sdk.md#a-guarded-agent',
    leavesOut: hasEnd('cut', 'break'),
  },
  partialWords,
  {
    why: 'Thoughts of a step that has left, corrected by a guard of a later step, come after its text.',
    link: 'docs/guide/streaming.md#hold',
    compares: (seen) => ({ ...seen, page: { ...seen.page, reasoning: seen.page.reasoning.split('. ').toSorted().join('. ') } }),
  },
];

/** The phases that may follow the release of words. */
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
    why: 'A guard of a tool’s result is given the call without the words and errors of its step, and fails the run where it changes the arguments.',
    link: 'docs/guide/ai-sdk-details.md#edits-of-earlier-steps',
    leavesOut: ({ opening, receipts, rules }) =>
      rules.some(({ phase, act, word }) => {
        const others = [...opening.flatMap(saidIn), ...receipts.filter((receipt) => receipt.startsWith('!'))];
        return phase === 'toolResult' && act === 'edit' && others.some((said) => said.includes(word));
      }),
  },
  {
    why: 'Results of calls that run at the same time are judged as they come.',
    link: 'docs/guide/hosts.md#the-ai-sdk',
    leavesOut: ({ opening, rules }) =>
      opening.some(({ calls }) => calls.length > 1) && rules.some(({ phase, act }) => phase === 'toolResult' && act === 'hang'),
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

const onePart = {
  why: 'A stream of the AI SDK shows the object of its first text part.',
  link: 'docs/guide/hosts.md#the-ai-sdk',
  leavesOut: ({ asksObject, closing }: Script) => asksObject && closing.some(({ partAt }) => partAt !== undefined),
};

export const inAgentStream: readonly Exclusion[] = [
  ...inAiSdk,
  onePart,
  {
    ...lateEdit,
    leavesOut: (one) => {
      const isHeld = one.hold !== 'step' && one.rules.some(({ phase }) => phase === 'outputResult');
      return !isHeld && editsEarlier(one);
    },
  },
];

const ofAlone = 'docs/guide/ai-sdk.md#what-the-ai-sdk-cannot-promise';

/** The parts that an adapter without a guarded model leaves to the AI SDK. */
const unguardedModel: readonly Exclusion[] = [
  {
    why: 'An adapter alone reports the verdicts of its own hooks.',
    link: ofAlone,
    compares: (seen) => ({ ...seen, verdicts: [] }),
  },
  { why: 'A model that is not guarded may end without a finish part.', link: ofAlone, leavesOut: hasEnd('cut') },
];

export const alone = {
  withGuards: [],
  toPrepareStep: unguardedModel,
  guardTools: [
    ...unguardedModel,
    {
      why: 'What stops a run in a tool is that tool’s error, where the tools are guarded alone.',
      link: ofAlone,
      leavesOut: ({ rules }) => rules.some(({ act }) => act === 'trip' || act === 'fail' || act === 'hang' || act === 'retry'),
    },
  ],
  toStreamTransform: [
    ...unguardedModel,
    { why: 'Words that wait for a guard are lost where the provider breaks off.', link: ofAlone, leavesOut: hasEnd('break') },
    {
      why: 'Tools have run when it sees a call.',
      link: ofAlone,
      leavesOut: ({ opening, rules }) => opening.length > 0 && rules.some(({ act }) => act !== 'pass' && act !== 'late'),
    },
    {
      why: 'No step is made again where the model is not guarded: a retry ends the run.',
      link: ofAlone,
      leavesOut: ({ rules }) => rules.some(({ act }) => act === 'retry'),
    },
  ],
} satisfies Record<string, readonly Exclusion[]>;

export const inStreamText: readonly Exclusion[] = [...inAiSdk, onePart, { ...lateEdit, leavesOut: editsEarlier }];

const ofStock = 'docs/guide/hosts.md#a-stock-agent';
const hasRule =
  (phase: Rule['phase'], ...acts: readonly Rule['act'][]) =>
  ({ rules }: Script): boolean =>
    rules.some((one) => one.phase === phase && acts.includes(one.act));

/** A saved message without its reasoning and files. */
const wordsAndCalls = (message: string): string =>
  message
    .replace(': ', ' | ')
    .split(' | ')
    .filter((part) => !/^(reasoning|file) /.test(part))
    .join(' | ');

/** The behavior of Mastra's own loop with any guards. */
export const inStock: readonly Exclusion[] = [
  partialWords,
  {
    why: 'It has no events of verdicts, its tripwire has no phase, and its error names no guard.',
    link: ofStock,
    compares: (seen) => ({ ...seen, verdicts: [], end: seen.end[0] === 'failed' ? ['failed'] : seen.end.slice(0, 3) }),
  },
  {
    why: 'Its memory has the reasoning and the files of the first step alone.',
    link: ofStock,
    compares: (seen) => ({ ...seen, saved: seen.saved.map(wordsAndCalls) }),
  },
  {
    why: 'After calls of a step that ended for another reason it does not go on; it does after an answer without a finish part.',
    link: ofStock,
    leavesOut: ({ opening, closing }) =>
      opening.some(({ end }) => end === 'length') || [...opening, ...closing].some(({ end }) => end === 'cut'),
  },
  {
    why: 'It reads an object off the words of all steps, none off an answer that is not whole, and in a stream none off two parts.',
    link: ofStock,
    leavesOut: (one) =>
      one.asksObject &&
      (one.opening.length > 0 || hasEnd('length')(one) || one.closing.some(({ partAt }) => partAt !== undefined)),
  },
  {
    why: 'Its tools run with the arguments that the model gave, whatever processOutputStream made of them.',
    link: ofStock,
    leavesOut: ({ opening, rules, redacts }) => {
      const isEdited = (note: string) =>
        (redacts && note === mail) ||
        rules.some(({ phase, act, word }) => phase === 'outputStream' && act === 'edit' && word === note);
      return opening.some(({ calls }) => calls.some(isEdited));
    },
  },
  {
    why: 'It runs the calls of an answer that breaks off, whatever a guard says of it.',
    link: ofStock,
    leavesOut: hasEnd('break'),
  },
  {
    why: 'It reads each part of an answer by itself.',
    link: 'docs/reference/fields.md#fields-that-leave',
    leavesOut: ({ redacts, spills, opening, closing }) =>
      redacts && (spills || [...opening, ...closing].some(({ partAt }) => partAt !== undefined)),
  },
  {
    why: 'Its merge drops a text part that a later step repeats from an earlier one.',
    link: 'docs/guide/memory.md#save-a-conversation',
    leavesOut: ({ opening, closing }) => opening.length > 0 && closing.some(({ partAt }) => partAt !== undefined),
  },
  {
    why: 'A retry is granted in processOutputStep alone; asked for elsewhere it is a tripwire.',
    link: ofStock,
    leavesOut: ({ rules }) => rules.some(({ phase, act }) => act === 'retry' && phase !== 'outputStep'),
  },
  {
    why: 'What processOutputStep and processOutputResult edit is edited in messages: its words have left, and its tools run.',
    link: ofStock,
    leavesOut: ({ rules }) => rules.some(({ phase, act }) => act === 'edit' && afterwards.has(phase)),
  },
  {
    why: 'Its result has the steps before a tripwire.',
    link: ofStock,
    compares: (seen) => (seen.end[0] === 'success' ? seen : { ...seen, steps: [] }),
  },
  { why: 'A trip in processAPIError is a failure of the call.', link: ofStock, leavesOut: hasRule('apiError', 'trip') },
  {
    why: 'A step that processOutputStep trips on runs its tools, and its answer is in the result and in memory.',
    link: ofStock,
    leavesOut: hasRule('outputStep', 'trip', 'retry'),
  },
  {
    why: 'An answer that processOutputResult trips on stays in the messages of the result.',
    link: ofStock,
    leavesOut: hasRule('outputResult', 'trip'),
  },
  {
    why: 'A guard of the stream that fails is a tripwire, and not reported as a failure.',
    link: ofStock,
    leavesOut: hasRule('outputStream', 'fail', 'hang'),
  },
  {
    why: 'The tools of a step run on which processLLMResponse failed.',
    link: ofStock,
    leavesOut: hasRule('llmResponse', 'fail', 'hang'),
  },
  {
    why: 'Memory keeps the turn of a run that failed in the model’s call or right after it.',
    link: ofStock,
    compares: (seen) => (seen.end[0] === 'failed' ? { ...seen, saved: [] } : seen),
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
