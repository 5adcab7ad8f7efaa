import { InterlockError } from '../errors.js';
import type { Phase, PhaseData } from '../phase/row.js';
import { isSame } from '../phase/plain-data.js';
import { answerId, editedContent, toAnswerMessage } from './answer.js';
import { parseArguments, usageOf } from './chunks.js';
import type { Retry } from '../verdict.js';
import { judge } from './judge.js';
import type { CallableModel, Chunk, Content, PartOf } from './spec.js';
import type { OpenCall } from './model-call.js';
import type { Run } from './run.js';
import { GuardUnavailableError, type StopError } from './stop-errors.js';

/** A complete answer, before anything is done with it. */
export interface Review {
  readonly open: OpenCall;
  readonly model: CallableModel;
  readonly content: readonly Content[];
  readonly finish: PartOf<'finish'>;
  /** What the model said, before the stream's guards. */
  readonly rawChunks: readonly Chunk[];
  readonly warnings: readonly unknown[];
  /** Whether another attempt could be made now. */
  readonly mayRetry: boolean;
}

/** What guards left of an answer, or the wish for another attempt. */
export type Reviewed =
  { readonly content: readonly Content[]; readonly retry?: undefined } | { readonly content?: undefined; readonly retry: Retry };

type Call = Extract<Content, { type: 'tool-call' }>;
type ProviderResult = Extract<Content, { type: 'tool-result' }>;

export const isClientCall = (piece: Content): piece is Call => piece.type === 'tool-call' && !piece.providerExecuted;

/**
 * All guards that judge a whole answer: the observers of the call, those of results that came with it, those of the step, and,
 * where the answer asks for no tool, those of the run's result.
 */
export const review = async (run: Run, given: Review): Promise<Reviewed> => {
  const { list } = given.open.conversation;
  const isFinal = !given.content.some(isClientCall);
  const payloads = [
    () => observed(run, given),
    ...given.content.filter(isResult).map((result) => () => resultPayload(run, given, result)),
    () => stepPayload(run, given),
    ...(isFinal ? [() => endPayload(run, given)] : []),
  ];
  list.add(toAnswerMessage(given.content), 'response', { merge: false });
  for (const payloadOf of payloads) {
    const payload = payloadOf();
    const reportDropped = watchEarlier(run, given);
    const { retry } = await judge<Phase>(run, payload, given);
    if (retry) return { retry };
    reportDropped?.(payload.phase);
  }
  run.judgeLast = isFinal ? undefined : () => judgeLast(run, given);
  return { content: editedContent(given.content, answerParts(run, given)) };
};

/** What guards of an answer do to messages before it has no effect, and is told to whoever listens. */
const watchEarlier = (run: Run, { open }: Review): ((phase: Phase) => void) | undefined => {
  if (!run.options.onEvent) return undefined;
  const { list, ids } = open.conversation;
  const earlier = () =>
    new Map(
      run.scope.host.messages
        .read(list, 'all')
        .filter(({ id }) => ids.has(id))
        .map(({ id, role, content }) => [id, JSON.stringify([role, content.parts])]),
    );
  const before = earlier();
  return (phase) => {
    const after = earlier();
    const messageIds = [...before.keys()].filter((id) => after.get(id) !== before.get(id));
    if (messageIds.length > 0) run.emit({ type: 'edit-dropped', phase, messageIds });
  };
};

/** A stop condition may have ended the run with an answer that asks for tools. Nothing can be edited or made again by then. */
const judgeLast = async (run: Run, given: Review): Promise<void> => {
  run.judgeLast = undefined;
  const content = editedContent(given.content, answerParts(run, given));
  await judge<'outputResult'>(run, endPayload(run, given), { mayRetry: false });
  if (!isSame([...editedContent(given.content, answerParts(run, given))], [...content])) throw lateEdit(run);
};

/** Words that have left cannot be edited: the guard that asks for it fails the run. */
export const lateEdit = (run: Run): StopError => {
  const path = run.plan.id;
  const error = new InterlockError('ai-sdk/late-edit', { path });
  return run.end(new GuardUnavailableError({ error, processorId: path, phase: 'outputStep', path }));
};

const isResult = (piece: Content): piece is ProviderResult => piece.type === 'tool-result' && !piece.preliminary;

/** The answer as it is in the list now, with what guards added behind it. */
const answerParts = (run: Run, { open }: Review) => {
  const all = run.scope.host.messages.read(open.conversation.list, 'all');
  const known = open.conversation.ids;
  return all
    .filter(({ id, role }) => id === answerId || (role === 'assistant' && !known.has(id)))
    .flatMap(({ content }) => content.parts);
};

const shared = (run: Run, { open }: Review) => {
  const { list } = open.conversation;
  const { messages: port } = run.scope.host;
  return {
    messages: port.read(list, 'all'),
    messageList: list,
    systemMessages: port.readSystem(list),
    stepNumber: run.stepNumber,
    steps: [...run.steps] as never, // the AI SDK's own records
    retryCount: run.retries,
  };
};

const observed = (run: Run, { open, model, rawChunks, warnings }: Review): PhaseData<'llmResponse'> => ({
  phase: 'llmResponse',
  chunks: [...rawChunks] as PhaseData<'llmResponse'>['chunks'], // chunks with their payloads
  model: model as never, // Mastra types a model by an older specification
  stepNumber: run.stepNumber,
  steps: [...run.steps] as never, // the AI SDK's own records
  fromCache: open.fromCache,
  warnings: [...warnings] as PhaseData<'llmResponse'>['warnings'], // the provider's own
  request: open.request,
  rawResponse: open.response,
  retryCount: run.retries,
});

const resultPayload = (run: Run, given: Review, result: ProviderResult): PhaseData<'toolResult'> => {
  const { toolCallId, toolName } = result;
  const call = given.content.find((piece): piece is Call => piece.type === 'tool-call' && piece.toolCallId === toolCallId);
  const args: unknown = call ? parseArguments(call.input) : {};
  return {
    phase: 'toolResult',
    ...shared(run, given),
    toolName,
    toolCallId,
    args,
    result: result.result,
    providerExecuted: true,
  };
};

const textOf = (content: readonly Content[]): string =>
  content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');

const stepPayload = (run: Run, given: Review): PhaseData<'outputStep'> => ({
  phase: 'outputStep',
  ...shared(run, given),
  finishReason: given.finish.finishReason.unified,
  providerMetadata: given.finish.providerMetadata as PhaseData<'outputStep'>['providerMetadata'], // the provider's own
  toolCalls: given.content
    .filter((piece): piece is Call => piece.type === 'tool-call')
    .map(({ toolName, toolCallId, input }) => ({ toolName, toolCallId, args: parseArguments(input) })),
  text: textOf(given.content),
  usage: usageOf(given.finish.usage),
});

const endPayload = (run: Run, given: Review): PhaseData<'outputResult'> => {
  const text = textOf(editedContent(given.content, answerParts(run, given)));
  const { stepNumber: _number, steps, ...rest } = shared(run, given);
  const finishReason = given.finish.finishReason.unified;
  return { phase: 'outputResult', ...rest, result: { text, usage: usageOf(given.finish.usage), finishReason, steps } };
};
