import { waitingChunk } from './emit.js';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { RunStatus } from '../../schemas/index.js';
import type { Plan } from '../pipeline/graph.js';
import { holdOf } from '../pipeline/hold.js';
import { snapshotConversation } from './conversation.js';
import { textOf, type Part } from './response.js';
import { messageOf } from '../errors.js';
import { isGuarded, lastStepAfter } from './judge.js';
import type { SavedTurn, Persistence } from './persistence.js';
import type { Chunk, LoopPorts, StepRecord } from './ports.js';
import { acceptedSteps, isWithheld, type ResponseStep, type Run, waitingCalls } from './run.js';
import { responseParts } from './step-record.js';
import { withheldCall } from '../ui/chat-messages.js';

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
 * Saves to memory the parts of a turn without an accepted response that the run's policy keeps, whatever ended the run, without rejected
 * or unjudged content. A failure of memory is reported as an event and does not change the end of the run.
 */
export const persistRejectedTurn = async (run: Run, status: RunStatus): Promise<void> => {
  if (run.state.isResultAccepted) return; // it has its transforms, and is saved by its own activity
  await addPayloadTransforms(run);
  const { memory } = run.options.lanes;
  if (!memory) return;
  if (status === 'suspended') return persistWaitingTurn(run);
  if (!isUnaccepted(status)) return;
  await retractTurn(run);
  const policy = run.options.persistence?.[status] ?? 'accepted';
  const list = listToPersist(run, policy, status);
  if (!list) return run.recorder.record({ type: 'memory', given: 'nothing' });
  const steps = policy === 'accepted' && areWordsAccepted(run) ? keptSteps(run).map(({ record }) => record) : [];
  const error = await failureOf(save(run, memory, { list, steps }), run);
  run.recorder.record({ type: 'memory', given: policy as Exclude<SavedTurn, 'drop'>, ...(error && { error }) });
};

/** While a run waits for a person, memory keeps its accepted content. */
const persistWaitingTurn = async (run: Run): Promise<void> => {
  const waiting = waitingCalls(run).map((call) => waitingChunk(run, call));
  if (run.options.persistence?.suspended !== 'drop') await persistSoFar(run, waiting);
};

/** With `savePerStep`, saves the accepted steps before the next one starts. */
export const persistAcceptedSteps = (run: Run): Promise<void> | undefined =>
  savesSteps(run) && run.state.steps.length > 0 ? persistSteps(run) : undefined;

const persistSteps = async (run: Run): Promise<void> => {
  await addPayloadTransforms(run);
  await persistSoFar(run, []);
};

/** Saves the accepted content for a tool that reads its conversation from memory. Undefined without memory. */
export const flushOf = (run: Run): (() => Promise<void>) | undefined =>
  run.options.unfinishedTurn && (async () => (keepsSteps(run) ? persistSteps(run) : undefined));

const savesSteps = (run: Run): boolean => run.options.savePerStep === true && keepsSteps(run);

/** Whether a step is accepted before the end of the run: no guard of the whole response may still reject or edit it. */
const keepsSteps = (run: Run): boolean => {
  const { output } = run.options.lanes;
  return !isWithheld(run) && !(output && holdOf(output.graph, 'output') === 'run');
};

/** Whether the words of accepted steps are, too: no guard of the whole response was without a verdict, or may still reject them. */
const areWordsAccepted = (run: Run): boolean => keepsSteps(run) && acceptedSteps(run).length === run.state.accepted.length;

/** Saves the accepted content of an unfinished run to memory. A failure of memory does not change the run. */
const persistSoFar = async (run: Run, waiting: readonly Chunk[]): Promise<void> => {
  const { unfinishedTurn, ports } = run.options;
  if (!unfinishedTurn) return;
  const list = ports.messages.restore(snapshotConversation(run), run.state.list);
  if (!keepsSteps(run)) keepCalls(run, list);
  for (const chunk of waiting) await ports.payloads?.ofChunk(chunk);
  await failureOf(unfinishedTurn.keep(list, waiting), run);
};

/** Reduces a response to the calls that were made, with their results: their step was accepted, the words were not. */
const keepCalls = (run: Run, list: MessageList): void => {
  const isMade = (part: Part): boolean =>
    part.type === 'tool-invocation' && (run.state.status === 'suspended' || part.toolInvocation.state !== 'call');
  const parts = responseParts(run, list).filter(isMade);
  run.scope.host.messages.write(list, [], { scope: 'response', source: 'response' });
  addParts(run, list, { parts });
};

/** The accepted steps. A guard that rejects a prompt rejects what is new in it: the last step. */
const keptSteps = ({ state: { accepted, status, stop } }: Run): readonly ResponseStep[] =>
  status === 'tripwire' && lastStepAfter(stop) === 'rejected' ? accepted.slice(0, -1) : accepted;

/** The run's result without a step that a later prompt rejected: it has what memory saves by default, so that a caller can continue with it. */
export const dropRejectedStep = (run: Run): void => {
  if (keptSteps(run).length === run.state.accepted.length) return;
  const list = listToPersist(run, 'accepted', 'tripwire') ?? questionOf(run);
  if (list) run.change({ list });
};

/** The conversation before the response, once guards have passed the first prompt. Only runs with memory have stored it. */
const questionOf = (run: Run): MessageList | undefined => {
  const { accepted, acceptedInput, start, list } = run.state;
  const { host, messages } = run.options.ports;
  const snapshot = acceptedInput ?? (accepted.length > 0 ? start : undefined);
  const question = snapshot && messages.restore(snapshot, list);
  if (question && !acceptedInput) host.messages.write(question, [], { scope: 'response', source: 'response' });
  return question;
};

/** The conversation with the response of these steps; undefined without any. */
const withKeptSteps = (run: Run): MessageList | undefined => {
  const { accepted, start, list: like } = run.state;
  const { length } = keptSteps(run);
  if (length === 0 || !start) return undefined;
  const list = run.options.ports.messages.restore(start, like);
  const messages = length < accepted.length ? run.scope.host.messages.read(list, 'response') : [];
  for (const { content } of messages.toReversed()) {
    const at = content.parts.findLastIndex(({ type }) => type === 'step-start');
    content.parts.splice(Math.max(at, 0));
    if (at !== -1) break;
  }
  return list;
};

/** The calls of tools in attempts that were not accepted, without any of their content: their effects cannot be undone. */
const otherCalls = (run: Run): Part[] => {
  const { recorder, state } = run;
  const accepted = keptSteps(run);
  const names = new Map<string, string>(); // a call starts again when its run is resumed
  for (const event of recorder.events) {
    const isKept = accepted.some(({ record }) => record.stepNumber === event.stepNumber && record.attempt === event.attempt);
    if (event.type === 'tool-start' && !isKept) names.set(event.toolCallId, event.toolName);
    if (event.type === 'tool-finish' && event.outcome === 'reused' && isKept)
      names.delete([...names].find(([, name]) => name === event.toolName)?.[0] ?? ''); // the accepted attempt has its result
  }
  return [...names].flatMap(([toolCallId, toolName]): Part[] => {
    if (state.attempt?.calls.get(toolCallId)?.settled === 'client') return []; // the client got no call to run
    const toolInvocation = { state: 'result' as const, toolCallId, toolName, args: {}, result: withheldCall };
    return [{ type: 'tool-invocation', toolInvocation }];
  });
};

interface AddedParts {
  readonly parts: readonly Part[];
  readonly metadata?: MastraDBMessage['content']['metadata'];
}

const addParts = (
  { options: { ports }, state: { messageId } }: Run,
  list: MessageList,
  { parts, metadata }: AddedParts,
): void => {
  if (parts.length === 0) return;
  const content = { format: 2 as const, parts: [...parts], ...(metadata && { metadata }) };
  ports.messages.addResponse(list, { id: messageId, role: 'assistant', createdAt: new Date(ports.wallClock()), content });
};

/** Removes content saved earlier in the run if its end was not accepted. */
const retractTurn = async (run: Run): Promise<void> => {
  const { unfinishedTurn, persistence } = run.options;
  const hasWaited = persistence?.suspended !== 'drop' && run.recorder.events.some(({ type }) => type === 'run-resume');
  if (!unfinishedTurn || !(hasWaited || unfinishedTurn.hasSaved || (savesSteps(run) && run.state.steps.length > 0))) return;
  await failureOf(unfinishedTurn.takeBack(run.state.list), run);
};

const isUnaccepted = (status: RunStatus): status is Unaccepted => Object.hasOwn(answerPlaceholders, status);

/** The conversation to save; undefined if it would contain rejected content, or if nothing of the response was accepted. */
const listToPersist = (run: Run, policy: SavedTurn, status: Unaccepted): MessageList | undefined => {
  switch (policy) {
    case 'drop':
      return undefined;
    case 'user-only':
      return questionOf(run);
    case 'placeholder': {
      const list = questionOf(run) ?? withoutInput(run, status);
      addParts(run, list, placeholder(answerPlaceholders[status], status));
      return list;
    }
    case 'accepted': {
      const kept = withKeptSteps(run);
      if (kept && !areWordsAccepted(run)) keepCalls(run, kept);
      const hasKept = kept && responseParts(run, kept).length > 0;
      const parts = [...seenParts(run, status), ...otherCalls(run)];
      if (!hasKept && parts.length === 0) return withClientResults(run, questionOf(run));
      const list = hasKept ? kept : (questionOf(run) ?? withoutInput(run, status));
      addParts(run, list, { parts, metadata: withheldAs(status) });
      return list;
    }
    default:
      return policy satisfies never;
  }
};

/** The conversation if it ends with the results of the client's tools: their effects cannot be undone. */
const withClientResults = (run: Run, question: MessageList | undefined): MessageList | undefined => {
  const last = question && run.scope.host.messages.read(question, 'input').at(-1);
  return last?.role === 'assistant' && last.content.parts.some(({ type }) => type === 'tool-invocation') ? question : undefined;
};

/** The text that the caller saw before canceling, if no guard of whole responses could still reject it. */
const seenParts = (run: Run, status: Unaccepted): Part[] => {
  const isJudged = keepsSteps(run) && !isGuarded(run, 'llmResponse') && !isGuarded(run, 'outputStep');
  const text = status === 'canceled' && isJudged ? unfinishedText(run) : '';
  return text === '' ? [] : [{ type: 'text', text }];
};

/** The emitted text of the attempt that the caller canceled; its record has no text. */
export const unfinishedText = ({ options: { hold }, state: { attempt } }: Run): string =>
  attempt?.record?.reason === 'error' && !hold ? textOf(attempt.answer.parts) : '';

/** The caller's message was not accepted: a placeholder takes its place, and nothing else of that input is saved. */
const withoutInput = (run: Run, status: Unaccepted): MessageList => {
  const { host, messages } = run.options.ports;
  const list = messages.restore(snapshotConversation(run), run.state.list);
  const question = host.messages.read(list, 'input').findLast(({ role }) => role === 'user');
  const { parts, metadata } = placeholder(questionPlaceholder, status);
  const withheld = question && { ...question, content: { format: 2 as const, parts: [...parts], metadata } };
  host.messages.write(list, withheld ? [withheld] : [], { scope: 'input', source: 'input' });
  return list;
};

/** A placeholder for a message; clients find the reason in its metadata. */
const placeholder = (text: string, status: Unaccepted): AddedParts => ({
  parts: [{ type: 'text', text }],
  metadata: withheldAs(status),
});

const withheldAs = (withheld: Unaccepted) => ({ interlock: { withheld } });

const save = async (
  run: Run,
  memory: Plan,
  { list, steps }: { list: MessageList; steps: readonly StepRecord[] },
): Promise<string | undefined> => {
  const { messages } = run.scope.host;
  const verdict = await memory.run<'outputResult'>(
    'outputResult',
    {
      phase: 'outputResult',
      messages: messages.read(list, 'response'),
      messageList: list,
      systemMessages: [],
      retryCount: run.state.counters.retries,
      result: { text: '', usage: { ...run.state.usage }, finishReason: 'other', steps: [...steps] as never[] }, // see stepFields
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

const failureOf = (saved: Promise<string | void>, { scope }: Run): Promise<string | void> => {
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

const transformAll = async ({ state: { list, steps } }: Run, payloads: NonNullable<LoopPorts['payloads']>): Promise<void> => {
  await payloads.ofMessages(list);
  for (const { toolResults } of steps) for (const record of toolResults) await payloads.ofChunk(record);
};
