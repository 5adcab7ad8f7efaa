import { mail, type Rule, type ModelReply, type Script } from './script.js';
import type { Observed } from './seen.js';

/** An intended difference between entrances. */
export interface Exclusion {
  readonly why: string;
  /** The page that documents it. */
  readonly link: string;
  /** Excludes scripts from the draw. Default: none. */
  readonly leavesOut?: (one: Script) => boolean;
  /** The compared part of the records. */
  readonly compares?: (seen: Observed) => Observed;
}

const sayings = ({ opening, closing }: Script): readonly ModelReply[] => [...opening, ...closing];
const contentOf = ({ text, reasoning, calls }: ModelReply): readonly string[] => [...text, ...reasoning, ...calls];
const hasEnd =
  (...ends: readonly ModelReply['end'][]) =>
  (one: Script) =>
    sayings(one).some(({ end }) => ends.includes(end));

export const afterApproval: readonly Exclusion[] = [
  {
    why: 'A user message that memory saved while the run was suspended is not removed, whatever the status.',
    link: 'docs/guide/memory.md',
    compares: (seen) =>
      seen.end[0] === 'success' ? seen : { ...seen, saved: seen.saved.filter((message) => !message.startsWith('user: ')) },
  },
];

const partialWords: Exclusion = {
  why: 'A stream contains text that was emitted before the run failed or was blocked, unless its agent buffers the text.',
  link: 'docs/guide/streaming.md#hold',
  compares: (seen) =>
    seen.end[0] === 'success' ? seen : { ...seen, emitted: '', page: { text: '', reasoning: '' }, objects: [] },
};

export const streamAndGenerate: readonly Exclusion[] = [
  {
    why: 'A response without streaming has a finish reason, and is either complete or missing.',
    link: 'docs/guide/ai-sdk.md#a-guarded-agent',
    leavesOut: hasEnd('cut', 'break'),
  },
  partialWords,
  {
    why: 'Reasoning of an emitted step that a guard of a later step edits comes after its text.',
    link: 'docs/guide/streaming.md#hold',
    compares: (seen) => ({ ...seen, page: { ...seen.page, reasoning: seen.page.reasoning.split('. ').toSorted().join('. ') } }),
  },
];

/** The phases that may follow the release of words. */
const afterwards: ReadonlySet<string> = new Set(['outputStep', 'toolResult', 'outputResult']);

export const inAiSdk: readonly Exclusion[] = [
  partialWords,
  { why: 'There is no memory.', link: 'docs/guide/guarantees.md#the-ai-sdk', compares: (seen) => ({ ...seen, saved: [] }) },
  {
    why: 'A retry on a tool’s result is that tool’s error.',
    link: 'docs/guide/guarantees.md#the-ai-sdk',
    leavesOut: ({ receipts, rules }) =>
      rules.some(({ phase, act, word }) => {
        const isJudged =
          phase === 'toolResult' || (phase === 'outputStream' && receipts.some((receipt) => receipt.includes(word)));
        return isJudged && act === 'retry';
      }),
  },
  {
    why: 'A guard of a tool result gets the call without the text and errors of its step. If it edits the arguments, the run fails.',
    link: 'docs/guide/ai-sdk.md#steps-and-edits-of-earlier-steps',
    leavesOut: ({ opening, receipts, rules }) =>
      rules.some(({ phase, act, word }) => {
        const others = [...opening.flatMap(contentOf), ...receipts.filter((receipt) => receipt.startsWith('!'))];
        return phase === 'toolResult' && act === 'edit' && others.some((text) => text.includes(word));
      }),
  },
  {
    why: 'A call without a tool, with arguments that do not fit it, or that a guard of the answer rejected has no result: its error goes to the model without guards of tool results.',
    link: 'docs/guide/guarantees.md#the-ai-sdk',
    leavesOut: ({ opening, redacts, rules }) =>
      opening.some(({ calls }) => calls.some((note) => /^[#?]/.test(note) || (redacts && note === mail))) &&
      (redacts || rules.some(({ phase }) => phase === 'toolResult')),
  },
  {
    why: 'Messages of earlier steps have no sources.',
    link: 'docs/guide/ai-sdk.md#steps-and-edits-of-earlier-steps',
    leavesOut: ({ opening, rules }) =>
      rules.some(({ phase, word }) => afterwards.has(phase) && opening.some(({ source }) => source?.includes(word))),
  },
  {
    why: 'Results of parallel calls are checked in the order of their arrival.',
    link: 'docs/guide/guarantees.md#the-ai-sdk',
    leavesOut: ({ opening, rules }) =>
      opening.some(({ calls }) => calls.length > 1) &&
      rules.some(({ phase, act }) => (phase === 'toolResult' || phase === 'outputStream') && act === 'hang'),
  },
  {
    why: 'Calls run only if the finish reason is tool-calls.',
    link: 'docs/guide/guarantees.md#the-ai-sdk',
    leavesOut: ({ opening }) => opening.some(({ end }) => end === 'length'),
  },
  {
    why: 'A stream without a finish part has the reason `other`.',
    link: 'docs/guide/ai-sdk.md#a-guarded-agent',
    leavesOut: hasEnd('cut'),
  },
  {
    why: 'A run without success has an error and no steps.',
    link: 'docs/guide/ai-sdk.md#a-guarded-agent',
    compares: (seen) => (seen.end[0] === 'success' ? seen : { ...seen, steps: [] }),
  },
  {
    why: 'A retried step is not prepared again.',
    link: 'docs/guide/ai-sdk.md#steps-and-edits-of-earlier-steps',
    leavesOut: ({ rules }) => rules.some(({ phase }) => phase === 'inputStep') && rules.some(({ act }) => act === 'retry'),
  },
  {
    why: 'Edits of processInputStep apply to one step only; the next step repeats them.',
    link: 'docs/guide/ai-sdk.md#steps-and-edits-of-earlier-steps',
    compares: (seen) => ({
      ...seen,
      verdicts: seen.verdicts.map((line) => (line.startsWith('inputStep: ') ? line.replaceAll(' edit', ' pass') : line)),
    }),
  },
  {
    why: 'Emitted text cannot be retracted: with `hold: "chunk"` there is no retry and no edit of emitted text.',
    link: 'docs/guide/ai-sdk.md#when-text-is-sent',
    leavesOut: ({ hold, rules }) =>
      hold === 'none' && rules.some(({ phase, act }) => act === 'retry' || (act === 'edit' && afterwards.has(phase))),
  },
];

/** Whether a guard of answers changes steps before the last. */
const editsEarlier = ({ opening, closing, receipts, rules }: Script): boolean =>
  rules.some(({ phase, act, word }) => {
    if (act !== 'edit' || opening.length === 0) return false;
    const isEarlier = [...opening.flatMap(contentOf), ...receipts].some((text) => text.includes(word));
    const isLate = isEarlier && closing.some(({ text }) => text.includes(word));
    return phase === 'outputResult' || (phase === 'outputStep' && isLate);
  });

const lateEdit = {
  why: 'If a guard of the response edits steps before the last, a stream with emitted text fails.',
  link: 'docs/guide/ai-sdk.md#steps-and-edits-of-earlier-steps',
};

const onePart = {
  why: 'A stream of the AI SDK parses the object from its first text part.',
  link: 'docs/guide/guarantees.md#the-ai-sdk',
  leavesOut: ({ requestsObject, closing }: Script) => requestsObject && closing.some(({ partAt }) => partAt !== undefined),
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

const ofAlone = 'docs/guide/ai-sdk.md#limits-of-the-ai-sdk';

/** The parts that an adapter without a guarded model leaves to the AI SDK. */
const unguardedModel: readonly Exclusion[] = [
  {
    why: 'A single adapter reports only the verdicts of its own hooks.',
    link: ofAlone,
    compares: (seen) => ({ ...seen, verdicts: [] }),
  },
];

export const alone = {
  withGuards: [],
  toPrepareStep: unguardedModel,
  guardTools: [
    ...unguardedModel,
    {
      why: 'Only its own tools are guarded, not those of the provider.',
      link: ofAlone,
      leavesOut: ({ rules, opening, closing }) =>
        rules.some(({ word }) => [...opening, ...closing].some(({ hosted }) => hosted?.includes(word))),
    },
    {
      why: 'If only the tools are guarded, a block in a tool becomes the error of that tool.',
      link: ofAlone,
      leavesOut: ({ rules }) => rules.some(({ act }) => act === 'trip' || act === 'fail' || act === 'hang' || act === 'retry'),
    },
  ],
  toStreamTransform: [
    ...unguardedModel,
    {
      why: 'Results of the provider’s tools are checked as they arrive, by guards of the stream only.',
      link: ofAlone,
      leavesOut: ({ redacts, opening, closing }) => redacts && [...opening, ...closing].some(({ hosted }) => hosted),
    },
    { why: 'If the provider connection breaks, buffered text is lost.', link: ofAlone, leavesOut: hasEnd('break') },
    {
      why: 'Tools run before this adapter receives the call.',
      link: ofAlone,
      leavesOut: ({ opening, rules }) => opening.length > 0 && rules.some(({ act }) => act !== 'pass' && act !== 'late'),
    },
    {
      why: 'Without a guarded model no step is retried: a retry ends the run.',
      link: ofAlone,
      leavesOut: ({ rules }) => rules.some(({ act }) => act === 'retry'),
    },
  ],
} satisfies Record<string, readonly Exclusion[]>;

export const inStreamText: readonly Exclusion[] = [...inAiSdk, onePart, { ...lateEdit, leavesOut: editsEarlier }];

const ofStock = 'docs/guide/guarantees.md#mastras-own-agent-with-guardsfor';
const hasRule =
  (phase: Rule['phase'], ...acts: readonly Rule['act'][]) =>
  ({ rules }: Script): boolean =>
    rules.some((one) => one.phase === phase && acts.includes(one.act));

/** A saved message without its reasoning, files and sources. */
const wordsAndCalls = (message: string): string =>
  message
    .replace(': ', ' | ')
    .split(' | ')
    .filter((part) => !/^(reasoning|file|source) /.test(part))
    .join(' | ');

/** The behavior of Mastra's own loop with any guards. */
export const inStock: readonly Exclusion[] = [
  partialWords,
  {
    why: 'It has no verdict events, its tripwire has no phase, and its error does not name the guard.',
    link: ofStock,
    compares: (seen) => ({ ...seen, verdicts: [], end: seen.end[0] === 'failed' ? ['failed'] : seen.end.slice(0, 3) }),
  },
  {
    why: 'Its memory contains the reasoning, files and sources of the first step only.',
    link: ofStock,
    compares: (seen) => ({ ...seen, saved: seen.saved.map(wordsAndCalls) }),
  },
  {
    why: 'Its prompts do not contain content that a later step repeats.',
    link: ofStock,
    leavesOut: ({ opening, rounds }) =>
      rounds > 1 &&
      opening.some(({ text, reasoning, file, source, hosted }) => [...text, ...reasoning, file, source, hosted].some(Boolean)),
  },
  {
    why: 'In a later step, its messages do not separate text from the result of a provider’s tool before it.',
    link: ofStock,
    leavesOut: ({ opening, closing }) => opening.length > 0 && closing.some(({ hosted }) => hosted),
  },
  {
    why: 'It does not continue after calls of a step with another finish reason; it continues after a response without a finish part.',
    link: ofStock,
    leavesOut: ({ opening, closing }) =>
      opening.some(({ end }) => end === 'length') || [...opening, ...closing].some(({ end }) => end === 'cut'),
  },
  {
    why: 'It parses the object from the text of all steps, but not from an incomplete response, and in a stream not from two parts.',
    link: ofStock,
    leavesOut: (one) =>
      one.requestsObject &&
      (one.opening.length > 0 || hasEnd('length')(one) || one.closing.some(({ partAt }) => partAt !== undefined)),
  },
  {
    why: 'Its tools run with the arguments of the model, even if processOutputStream edits them.',
    link: ofStock,
    leavesOut: ({ opening, rules, redacts }) => {
      const isEdited = (note: string) =>
        (redacts && note === mail) ||
        rules.some(({ phase, act, word }) => phase === 'outputStream' && act === 'edit' && word === note);
      return opening.some(({ calls }) => calls.some(isEdited));
    },
  },
  {
    why: 'It runs the calls of an interrupted response, whatever the verdict.',
    link: ofStock,
    leavesOut: hasEnd('break'),
  },
  {
    why: 'It checks each part of a response separately.',
    link: 'docs/reference/phases.md#fields-of-a-stream',
    leavesOut: ({ redacts, spills, opening, closing }) =>
      redacts && (spills || [...opening, ...closing].some(({ partAt }) => partAt !== undefined)),
  },
  {
    why: 'Its merge drops a text part that a later step repeats from an earlier one.',
    link: 'docs/guide/memory.md#save-a-conversation',
    leavesOut: ({ opening, closing }) => opening.length > 0 && closing.some(({ partAt }) => partAt !== undefined),
  },
  {
    why: 'It grants retries only in processOutputStep; a retry requested in another hook is a tripwire.',
    link: ofStock,
    leavesOut: ({ rules }) => rules.some(({ phase, act }) => act === 'retry' && phase !== 'outputStep'),
  },
  {
    why: 'processOutputStep and processOutputResult edit only the messages: the text is already emitted, and tools run.',
    link: ofStock,
    leavesOut: ({ rules }) => rules.some(({ phase, act }) => act === 'edit' && afterwards.has(phase)),
  },
  {
    why: 'Its result contains the steps before a tripwire.',
    link: ofStock,
    compares: (seen) => (seen.end[0] === 'success' ? seen : { ...seen, steps: [] }),
  },
  { why: 'A trip in processAPIError is a failure of the model call.', link: ofStock, leavesOut: hasRule('apiError', 'trip') },
  {
    why: 'If processOutputStep trips, the tools of the step run, and its response stays in the result and in memory.',
    link: ofStock,
    leavesOut: hasRule('outputStep', 'trip', 'retry'),
  },
  {
    why: 'If processOutputResult trips, the response stays in the messages of the result.',
    link: ofStock,
    leavesOut: hasRule('outputResult', 'trip'),
  },
  {
    why: 'A failed stream guard is reported as a tripwire, not as a failure.',
    link: ofStock,
    leavesOut: hasRule('outputStream', 'fail', 'hang'),
  },
  {
    why: 'If processLLMResponse fails, the tools of the step still run.',
    link: ofStock,
    leavesOut: hasRule('llmResponse', 'fail', 'hang'),
  },
  {
    why: 'Memory saves the turn of a run that failed in the model call or right after it.',
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
  (seen: Observed): Observed =>
    exclusions.reduce((so, { compares }) => compares?.(so) ?? so, seen);
