import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { RunStatus } from '../../schemas/index.js';
import type { Plan } from '../pipeline/compile.js';
import { snapshotConversation } from './conversation.js';
import type { Part } from './response.js';
import { messageOf } from '../errors.js';
import type { SavedTurn, Persistence } from './persistence.js';
import type { Chunk, LoopPorts } from './ports.js';
import { isWithheld, type Run } from './run.js';
import { waitingCalls, waitingChunk } from './waiting-calls.js';

type Unaccepted = Exclude<keyof Persistence, 'suspended'>;

/** The placeholder for a rejected response in the conversation; it repeats nothing of the response. */
const answerPlaceholders: Readonly<Record<Unaccepted, string>> = {
  tripwire: '[This answer was withheld.]',
  failed: '[There was no answer: the run failed.]',
  canceled: '[The answer was canceled.]',
};
const questionPlaceholder = '[This message was withheld.]';

/** Maximum wait for memory at the end of a run: a run ends even if its storage does not respond. */
const patienceMs = 5_000;

/**
 * Stores the caller's message as the guards left it, once they have passed the first prompt. Until then, and again while a new attempt is
 * judged, the message is not known to be acceptable.
 */
export const markInputAccepted = (run: Run, isAccepted: boolean): void => {
  const { lanes, persistence: { suspended: _suspended, ...persistence } = {} } = run.options;
  const isWanted =
    lanes.memory && Object.values(persistence).some((policy: SavedTurn | undefined) => policy && policy !== 'drop');
  if (!isWanted || run.position.stepNumber > 0) return;
  run.acceptedInput = isAccepted ? snapshotConversation(run) : undefined;
};

/**
 * Saves to memory the parts of a rejected turn that the run's policy keeps, without rejected content. A failure of memory is reported as
 * an event and does not change the end of the run.
 */
export const persistRejectedTurn = async (run: Run, status: RunStatus): Promise<void> => {
  if (run.isResultAccepted) return; // it has its transforms, and is saved by its own activity
  await addPayloadTransforms(run);
  const { memory } = run.options.lanes;
  if (!memory) return;
  if (status === 'suspended') return persistWaitingTurn(run);
  if (!isUnaccepted(status)) return;
  if (savesSteps(run) && status !== 'tripwire') return persistAcceptedSteps(run);
  await retractTurn(run);
  const policy = run.options.persistence?.[status] ?? 'drop';
  const list = policy === 'drop' ? undefined : listToPersist(run, { policy, status });
  if (!list) return run.recorder.record({ type: 'memory', given: 'nothing' });
  const error = await failureOf(save(run, memory, list), run);
  run.recorder.record({ type: 'memory', given: policy as Exclude<SavedTurn, 'drop'>, ...(error && { error }) });
};

/** While a run waits for a person, memory keeps its accepted content. */
const persistWaitingTurn = async (run: Run): Promise<void> => {
  if (run.options.persistence?.suspended === 'drop') return;
  await persistSoFar(
    run,
    waitingCalls(run).map((call) => waitingChunk(run, call)),
  );
};

/**
 * With `savePerStep`, saves the accepted steps before the next one starts or the run ends; content withheld until the end is not accepted
 * yet.
 */
export const persistAcceptedSteps = (run: Run): Promise<void> | undefined =>
  savesSteps(run) && run.steps.length > 0 ? persistSteps(run) : undefined;

const persistSteps = async (run: Run): Promise<void> => {
  await addPayloadTransforms(run);
  await persistSoFar(run, []);
};

/** Saves the accepted content for a tool that reads its conversation from memory. Undefined if there is none to save. */
export const flushOf = (run: Run): (() => Promise<void>) | undefined =>
  run.options.unfinishedTurn && !isWithheld(run) ? () => persistSteps(run) : undefined;

const savesSteps = (run: Run): boolean => run.options.savePerStep === true && !isWithheld(run);

/** Saves the accepted content of an unfinished run to memory. A failure of memory does not change the run. */
const persistSoFar = async (run: Run, waiting: readonly Chunk[]): Promise<void> => {
  const { unfinishedTurn, ports } = run.options;
  if (!unfinishedTurn) return;
  const list = ports.messages.restore(snapshotConversation(run), run.list);
  if (isWithheld(run)) withhold(run, list, waiting);
  for (const chunk of waiting) await ports.payloads?.ofChunk(chunk);
  await failureOf(
    unfinishedTurn.keep(list, waiting).then(() => undefined),
    run,
  );
};

/** Of a withheld response, only the waiting calls are visible. */
const withhold = (run: Run, list: MessageList, waiting: readonly Chunk[]): void => {
  const { messages } = run.options.ports.host;
  const ids = new Set(waiting.map(({ payload }) => (payload as { toolCallId: string }).toolCallId)); // each belongs to a call
  const isWaiting = (part: Part) => part.type === 'tool-invocation' && ids.has(part.toolInvocation.toolCallId);
  const kept = messages.read(list, 'response').flatMap((message) => {
    const parts = message.content.parts.filter(isWaiting);
    return parts.length > 0 ? [{ ...message, content: { format: 2 as const, parts } }] : [];
  });
  messages.write(list, kept, { scope: 'response', source: 'response' });
};

/** Removes content saved earlier in the run if its end was not accepted. */
const retractTurn = async (run: Run): Promise<void> => {
  const { unfinishedTurn, persistence } = run.options;
  const hasWaited = persistence?.suspended !== 'drop' && run.recorder.events.some(({ type }) => type === 'run-resume');
  if (!unfinishedTurn || !(hasWaited || unfinishedTurn.hasSaved || (savesSteps(run) && run.steps.length > 0))) return;
  await failureOf(
    unfinishedTurn.takeBack(run.list).then(() => undefined),
    run,
  );
};

const isUnaccepted = (status: RunStatus): status is Unaccepted => Object.hasOwn(answerPlaceholders, status);

/** The conversation to save; undefined if it would contain rejected content. */
const listToPersist = (run: Run, { policy, status }: { policy: SavedTurn; status: Unaccepted }): MessageList | undefined => {
  const { ports } = run.options;
  const { acceptedInput } = run;
  const list = acceptedInput
    ? ports.messages.restore(acceptedInput, run.list)
    : policy === 'placeholder'
      ? withoutInput(run, status)
      : undefined;
  if (!list || policy === 'user-only') return list;
  ports.messages.addResponse(list, {
    id: run.messageId,
    role: 'assistant',
    createdAt: new Date(ports.wallClock()),
    content: placeholderContent(answerPlaceholders[status], status),
  });
  return list;
};

/** The caller's message was not accepted: a placeholder takes its place, and nothing else of that input is saved. */
const withoutInput = (run: Run, status: Unaccepted): MessageList => {
  const { host, messages } = run.options.ports;
  const list = messages.restore(snapshotConversation(run), run.list);
  const question = host.messages.read(list, 'input').findLast(({ role }) => role === 'user');
  const placeholder = question && { ...question, content: placeholderContent(questionPlaceholder, status) };
  host.messages.write(list, placeholder ? [placeholder] : [], { scope: 'input', source: 'input' });
  return list;
};

/** A placeholder message; clients find the reason in its metadata. */
const placeholderContent = (text: string, withheld: Unaccepted): MastraDBMessage['content'] => ({
  format: 2,
  parts: [{ type: 'text', text }],
  metadata: { interlock: { withheld } },
});

const save = async (run: Run, memory: Plan, list: MessageList): Promise<string | undefined> => {
  const { messages } = run.scope.host;
  const verdict = await memory.run<'outputResult'>(
    'outputResult',
    {
      phase: 'outputResult',
      messages: messages.read(list, 'response'),
      messageList: list,
      systemMessages: [],
      retryCount: run.retries,
      result: { text: '', usage: { ...run.usage }, finishReason: 'other', steps: [] }, // no step was accepted
    },
    { ...run.scope, abortSignal: undefined }, // saving must work after a cancel, too
  );
  switch (verdict.kind) {
    case 'pass':
    case 'edit':
      return undefined;
    case 'trip':
    case 'retry':
      return verdict.reason;
    case 'unavailable':
      return messageOf(verdict.error);
    default:
      return verdict satisfies never;
  }
};

const failureOf = (saved: Promise<string | undefined>, { scope }: Run): Promise<string | undefined> => {
  let callOff: () => void = () => undefined;
  const tooLate = new Promise<string>((resolve) => {
    callOff = scope.setTimer(() => resolve(`memory did not answer within ${patienceMs} ms.`), patienceMs);
  });
  return Promise.race([saved.catch(messageOf), tooLate]).finally(callOff);
};

/** Adds the values shown to people in place of tool payloads to a run's response, after guards have edited it. */
export const addPayloadTransforms = (run: Run): Promise<void> | undefined => {
  const { payloads } = run.options.ports;
  return payloads && transformAll(run, payloads);
};

const transformAll = async ({ list, steps }: Run, payloads: NonNullable<LoopPorts['payloads']>): Promise<void> => {
  await payloads.ofMessages(list);
  for (const { toolResults } of steps) for (const record of toolResults) await payloads.ofChunk(record);
};
