import { InterlockError, isInterlockError } from '../errors.js';
import { cutQuotesOf, stripQuotedError } from '../guard/strip-quoted-error.js';
import type { Plan } from '../pipeline/compile.js';
import { planStream } from '../pipeline/stream-plan.js';
import type { Phase, PhaseData } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import { textsIn } from '../trace/texts-in.js';
import { isStricter, type Stop } from '../verdict.js';
import { messageOf } from './message-of.js';
import type { Outcome } from './outcome.js';
import type { Chunk } from './ports.js';
import { emit } from './emit.js';
import { setRunError, type Run } from './run.js';
import { mostFollowing, takeReprocessed } from './reprocess-queue.js';

/** Whether any guard has a hook in a phase. */
export const isGuarded = (run: Run, phase: Phase): boolean => run.options.lanes[phaseRow(phase).lane]?.has(phase) ?? false;

/** Whether guards may still reject a tool call whose arguments stream: the tool must not hear of it before they have judged. */
export const mayRejectCalls = (run: Run): boolean =>
  isGuarded(run, 'outputStream') || isGuarded(run, 'llmResponse') || isGuarded(run, 'outputStep');

/** What the guards of a phase made of a payload: the payload to go on with, or how the activity ends. */
export type Judged<P extends Phase> = { data: PhaseData<P>; outcome?: undefined } | { data?: undefined; outcome: Outcome };

/** Runs the guards of a phase over a payload. Throws the caller's reason where the caller gave up meanwhile. */
export const judge = async <P extends Phase>(run: Run, data: PhaseData<P>): Promise<Judged<P>> => {
  const plan = run.options.lanes[phaseRow<Phase>(data.phase).lane];
  if (run.overlapGuards.length > 0) run.overlapGuards = run.overlapGuards.filter(({ author }) => author.phase !== data.phase); // they are asked anew
  return plan ? judgeWith(run, plan, data) : { data };
};

/** Runs one plan over a payload; see {@link judge}. */
export const judgeWith = async <P extends Phase>(run: Run, plan: Pick<Plan, 'run'>, data: PhaseData<P>): Promise<Judged<P>> => {
  run.signal.throwIfAborted(); // the run is canceled: guards that have not started do not start
  const verdict = await plan.run<P>(data.phase, data, run.scope);
  run.signal.throwIfAborted();
  switch (verdict.kind) {
    case 'pass':
    case 'edit':
      if (run.stop) return { outcome: stopWith(run, run.stop) };
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
 * Notes why the activity ends and says so to the machine. Where the run was stopped already, by a guard that judged a data part
 * of another guard or a tool, the stricter of the two counts.
 */
export const stopWith = (run: Run, stop: Stop): Outcome => {
  const first = run.stop && !isStricter(stop.kind, run.stop.kind) ? run.stop : stop;
  run.stop = first;
  if (first.kind !== 'unavailable') return { kind: first.kind };
  return failWith(run, isInterlockError(first.error) ? first.error : unavailableError(first));
};

const unavailableError = ({ phase, path, error }: Extract<Stop, { kind: 'unavailable' }>): InterlockError =>
  new InterlockError('guard/unavailable', { path: `${phase} ${path}`, detail: messageOf(error), cause: error });

/** Notes the error that the run fails with, as its caller is shown it. */
export const failWith = (run: Run, error: unknown): Outcome => {
  setRunError(run, shownError(run, error));
  return { kind: 'failed' };
};

/** An error without what it quotes of the prompt, unless the agent says that callers get errors whole. */
export const shownError = (run: Run, error: unknown): unknown =>
  run.options.serveErrorDetails ? error : stripQuotedError(error, withoutPrompt(run));

/** Cuts out of a text what it repeats of the conversation, and of the answer that has started. */
export const withoutPrompt = ({ list, attempt, scope: { host } }: Run): ((text: string) => string) => {
  const said = textsIn([host.messages.read(list, 'all'), host.messages.readSystem(list), attempt?.answer.parts]);
  return cutQuotesOf(said.map(({ text }) => text).join('\n'));
};

/**
 * Sends a chunk, and what guards set aside to follow it, through the stream's guards; lets out what they leave of it. Gives the chunk as they
 * edited it.
 */
export const emitJudged = async (run: Run, chunk: Chunk): Promise<{ outcome?: Outcome; edited: Chunk }> => {
  let next: Chunk | undefined = chunk;
  let edited = chunk;
  for (let count = 0; next && count <= mostFollowing; count += 1) {
    const { data, outcome }: Judged<'outputStream'> = await judgeChunk(run, next);
    if (outcome) return { outcome, edited };
    const left = data.part as Chunk | null | undefined; // guards give back chunks, see the row's settle
    if (left) await emit(run, left);
    if (next === chunk && left?.type === chunk.type) edited = left;
    next = takeReprocessed(run);
  }
  return { edited };
};

/** A chunk that is not the model's is judged as a whole, by guards with windows, too. */
const judgeChunk = (run: Run, chunk: Chunk): Promise<Judged<'outputStream'>> => {
  const { output } = run.options.lanes;
  const stream = output && planStream(output.graph);
  if (!stream) return judge<'outputStream'>(run, streamPayload(run, chunk));
  // Only ever asked about the phase of its payload.
  const whole: Pick<Plan, 'run'> = {
    run: (_phase, data, scope) => stream.whole(data as PhaseData<'outputStream'>, scope) as never,
  };
  return judgeWith<'outputStream'>(run, whole, streamPayload(run, chunk));
};

/** A chunk as the stream's guards are given it. */
export const streamPayload = (run: Run, part: unknown): PhaseData<'outputStream'> => ({
  phase: 'outputStream',
  part,
  streamParts: [],
  state: {},
  messageList: run.list,
});
