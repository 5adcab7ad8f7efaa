import { chunkIn } from '../stream/gate/chunk.js';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { InterlockError, isInterlockError, messageOf } from '../errors.js';
import { readFields } from '../guard/read-fields.js';
import { cutQuotesOf, stripQuotedError } from '../guard/strip-quoted-error.js';
import { whenReady, type Awaitable } from '../phase/awaitable.js';
import type { Plan } from '../pipeline/graph.js';
import { planStream } from '../pipeline/stream-plan.js';
import type { Phase, PhaseData } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import { wordsIn } from '../trace/plain-json.js';
import { isStricter, pass, rejectsContent, type Stop, type Unavailable, type Verdict } from '../verdict.js';
import type { Outcome } from './activity.js';
import type { Chunk } from './ports.js';
import { emit } from './emit.js';
import type { Part } from './response.js';
import { isOver, type Attempt, type Run } from './run.js';
import { publicToolName } from './tool-call.js';

/** Whether any guard has a hook in a phase. */
export const isGuarded = (run: Run, phase: Phase): boolean => run.options.lanes[phaseRow(phase).lane]?.has(phase) ?? false;

/** Whether guards may still reject a tool call whose arguments stream: the tool must not receive them before the guards have judged. */
export const mayRejectCalls = (run: Run): boolean =>
  isGuarded(run, 'outputStream') || isGuarded(run, 'llmResponse') || isGuarded(run, 'outputStep');

/** The guards' verdict on a payload: the payload to continue with, or the outcome of the activity. */
export type Judged<P extends Phase> = { data: PhaseData<P>; outcome?: undefined } | { data?: undefined; outcome: Outcome };

/**
 * Runs the guards of a phase over a payload; synchronous if their code is. Throws the abort reason if the caller cancels meanwhile.
 */
export const judge = <P extends Phase>(run: Run, data: PhaseData<P>): Awaitable<Judged<P>> => {
  const plan = run.options.lanes[phaseRow<Phase>(data.phase).lane];
  if (run.state.overlapGuards.length > 0)
    run.change({ overlapGuards: run.state.overlapGuards.filter(({ author }) => author.phase !== data.phase) }); // they judge again
  return plan ? judgeWith(run, plan, data) : { data };
};

/** Runs one plan over a payload; see {@link judge}. */
export const judgeWith = <P extends Phase>(run: Run, plan: Plan, data: PhaseData<P>): Awaitable<Judged<P>> =>
  whenReady(verdictOf(run, plan, data), (verdict) => settled(run, data, verdict));

const verdictOf = <P extends Phase>(run: Run, plan: Plan, data: PhaseData<P>): Awaitable<Verdict<PhaseData<P>>> => {
  run.signal.throwIfAborted(); // the run is canceled: guards that have not started do not start
  return plan.run<P>(data.phase, data, run.scope);
};

/** The guards' verdict on another form of a payload that they passed; undefined if they cannot judge this form. */
export const judgeForm = <P extends Phase>(run: Run, data: PhaseData<P>): Awaitable<Judged<P> | undefined> => {
  const plan = run.options.lanes[phaseRow<Phase>(data.phase).lane];
  if (!plan) return { data };
  return whenReady(verdictOf(run, plan, data), (verdict) =>
    verdict.kind === 'unavailable' ? undefined : settled(run, data, verdict),
  );
};

const settled = <P extends Phase>(run: Run, data: PhaseData<P>, verdict: Verdict<PhaseData<P>>): Judged<P> => {
  run.signal.throwIfAborted();
  switch (verdict.kind) {
    case 'pass':
    case 'edit':
      if (run.state.stop) return { outcome: stopWith(run, run.state.stop) };
      return { data: verdict.kind === 'edit' ? verdict.data : data };
    case 'trip':
    case 'retry':
    case 'unavailable':
      return { outcome: stopWith(run, verdict) };
    default:
      return verdict satisfies never;
  }
};

/**
 * Stores the stop and returns the activity's outcome. If a guard that judged a data part of another guard or a tool already stopped the
 * run, the stricter stop counts.
 */
export const stopWith = (run: Run, stop: Stop): Outcome => {
  const first = run.state.stop && !isStricter(stop.kind, run.state.stop.kind) ? run.state.stop : stop;
  run.change({ stop: first });
  if (first.kind !== 'unavailable') return { kind: first.kind };
  return failWith(run, isInterlockError(first.error) ? first.error : unavailableError(first));
};

/** The last accepted step after a stop of a later prompt, whose guards may overlap with the call: the step is what is new in the prompt. */
export const lastStepAfter = (stop: Stop | undefined): 'rejected' | 'kept' | undefined => {
  if (!stop || !phaseRow(stop.phase).mayOverlap) return undefined;
  return rejectsContent(stop) ? 'rejected' : 'kept';
};

/** Before a tripwire: what a reader has of the chat stays accepted, the last step or the question. */
export const keptMark = 'data-interlock-kept';

/** Whether a tripwire keeps what a reader has of the chat: a limit does, and a block of an answer of which nothing was sent. */
export const keepsChat = (
  blocked: { readonly phase: string; readonly keepsLastStep: boolean },
  { hasSteps, isUnseen }: { readonly hasSteps: boolean; readonly isUnseen: boolean },
): boolean => blocked.keepsLastStep || (isUnseen && (hasSteps || !phaseRow(blocked.phase).mayOverlap));

/** The error of a run whose guard gave no verdict. */
export const unavailableError = ({ phase, path, error }: Pick<Unavailable, 'phase' | 'path' | 'error'>): InterlockError =>
  new InterlockError('guard/unavailable', { path: `${phase} ${path}`, detail: messageOf(error), cause: error });

/** Stores the error that the run fails with, in the form its caller gets. */
export const failWith = (run: Run, error: unknown): Outcome => {
  setRunError(run, publicError(run, error));
  return { kind: 'failed' };
};

/** The error without quotations of the prompt, unless the agent serves error details. */
export const publicError = (run: Run, error: unknown): unknown =>
  run.options.serveErrorDetails ? error : stripQuotedError(error, withoutPrompt(run));

/** Removes quotations of the conversation, and of the responses so far, original, edited and rejected, from a text. */
export const withoutPrompt = (run: Run): ((text: string) => string) => {
  const { host } = run.scope;
  const messages = host.messages.read(run.state.list, 'all');
  const known = wordsIn([messages.map(withoutModelNames), host.messages.readSystem(run.state.list)]);
  const hidden = hiddenWords(
    run.state.attempt,
    messages.flatMap(({ content }) => content.parts),
  );
  return cutQuotesOf([known, ...hidden, wordsOfAttempt(run.state.attempt), ...run.state.rejectedWords].join('\n'));
};

/** A message without the names of models at the start of its steps: they are no words of the conversation, and errors need them. */
const withoutModelNames = ({ content: { parts, ...content } }: MastraDBMessage): object => ({
  ...content,
  parts: parts.filter(({ type }) => type !== 'step-start'),
});

/** The words of an attempt's response, original and edited. */
const wordsOfAttempt = (attempt: Attempt | undefined): string => {
  if (!attempt) return '';
  const { originalWords, answer } = attempt;
  return [wordsIn(answer.parts), ...hiddenWords(attempt, answer.parts), originalWords.join('')].join('\n');
};

/** Stores the words of a rejected attempt, so that no later error quotes them. */
export const keepRejectedWords = (run: Run): void =>
  run.change({ rejectedWords: [...run.state.rejectedWords, wordsOfAttempt(run.state.attempt)] });

/** Words that `wordsIn` does not find: names of tools that do not exist, and the text of files. */
const hiddenWords = (attempt: Attempt | undefined, parts: readonly Part[]): string[] =>
  parts.flatMap((part) => {
    if (part.type === 'file') return textsOfFile(part);
    if (part.type !== 'tool-invocation') return [];
    const { toolName } = part.toolInvocation;
    return publicToolName(attempt?.settings.tools, toolName) === toolName ? [] : [toolName];
  });

const textsOfFile = ({ data, mimeType }: Extract<Part, { type: 'file' }>): string[] => {
  const texts: string[] = [];
  const change = (text: string): string => {
    texts.push(text);
    return text;
  };
  readFields('file', { data, mimeType }, { change });
  return texts;
};

/**
 * Passes a chunk, and those that guards set aside to follow it, through the stream guards; emits their version. Returns the edited chunk, and all that were emitted.
 */
export const emitJudged = async (run: Run, chunk: Chunk): Promise<{ outcome?: Outcome; edited: Chunk; emitted: Chunk[] }> => {
  let next: Chunk | undefined = chunk;
  let edited = chunk;
  const emitted: Chunk[] = [];
  for (let count = 0; next && count <= mostFollowing; count += 1) {
    const { data, outcome }: Judged<'outputStream'> = await judgeChunk(run, next);
    if (outcome) return { outcome, edited, emitted };
    const judged = chunkIn(data);
    if (judged) await emit(run, judged);
    if (judged) emitted.push(judged);
    if (next === chunk && judged?.type === chunk.type) edited = judged;
    next = takeReprocessed(run);
  }
  return { edited, emitted };
};

/** Judges a chunk that is not the model's, see {@link judgeWhole}. */
export const judgeChunk = (run: Run, chunk: Chunk): Awaitable<Judged<'outputStream'>> => {
  const data = streamPayload(run, chunk);
  if (!run.options.lanes.output) return { data };
  run.signal.throwIfAborted();
  return whenReady(judgeWhole(run, data), (verdict) => settled(run, data, verdict));
};

/** The stream guards' verdict on a whole chunk, also of guards with windows. */
export const judgeWhole = (
  { options, scope }: Run,
  data: PhaseData<'outputStream'>,
): Awaitable<Verdict<PhaseData<'outputStream'>>> => {
  const { lanes } = options;
  const whole = lanes.output && planStream(lanes.output.graph, options.window)?.whole;
  return whole ? whole(data, scope) : (lanes.output?.run('outputStream', data, scope) ?? pass);
};

/** The stream guards' payload for a chunk. */
export const streamPayload = (run: Run, part: unknown): PhaseData<'outputStream'> => ({
  phase: 'outputStream',
  part,
  streamParts: [],
  state: {},
  messageList: run.state.list,
});

/** Mastra's key for a chunk that a stream processor sets aside, to follow the one it returns. */
const key = '__mastraReprocessPart';

/** Maximum number of chunks that follow one chunk: it stops a processor that sets each of them aside again. */
export const mostFollowing = 1_000;

/**
 * Takes the next chunk that a processor has set aside. A hook can return only one chunk; one that batches text returns the batch and sets
 * aside the chunk that ended it. As in Mastra, that chunk then passes all stream guards, those before the batch too.
 */
export const takeReprocessed = ({ slots }: Pick<Run, 'slots'>): Chunk | undefined => {
  for (const { state } of slots.values()) {
    const chunk = state[key];
    if (chunk === undefined) continue;
    delete state[key];
    if (chunk) return chunk as Chunk; // Mastra's own processors set aside chunks
  }
  return undefined;
};

/** Moves a chunk that a processor inside a pipeline has set aside to where the host reads it: the state of the pipeline's own hook. */
export const passOnReprocessed = (inner: Pick<Run, 'slots'>, state: Record<string, unknown>): void => {
  const chunk = takeReprocessed(inner);
  if (chunk) state[key] = chunk;
};

/** Drops the chunks that were set aside in an attempt that was cut off. */
export const dropReprocessed = (run: Pick<Run, 'slots'>): void => {
  while (takeReprocessed(run));
};

/** Stores the error of an activity; ignored once the run is over. */
export const setRunError = (run: Run, error: unknown): void => {
  if (!isOver(run)) run.change({ error });
};
