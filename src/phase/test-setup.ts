import { MessageList, type MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { stepOf } from '../guard/guard.js';
import { inSequence } from '../guard/in-sequence.js';
import { createHost } from '../mastra/workflow/scope.js';
import { scriptedModel } from '../testing/index.js';
import type { Verdict } from '../verdict.js';
import type { ResolvedModel } from './host.js';
import type { Phase, PhaseData, ProcessorSlot } from './row.js';
import { type Reports, type GuardReport, type RunScope, type StaleReport, systemTimer } from './scope.js';
import { phaseRow } from './table.js';

type Parts = MastraDBMessage['content']['parts'];

/** A message with one text, or with given parts. Its time is later than that of the previous call. */
export const message = (id: string, content: string | Parts, fields: Partial<MastraDBMessage> = {}): MastraDBMessage => ({
  id,
  role: 'user',
  createdAt: new Date(clock++),
  content: { format: 2, parts: typeof content === 'string' ? [{ type: 'text', text: content }] : content },
  ...fields,
});

let clock = Date.UTC(2026, 0, 1);

/** A finished tool call as a part. */
export const toolPart = (toolCallId: string, result: unknown): Parts[number] => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'result', toolCallId, toolName: 'lookup', args: { q: 1 }, result },
});

/** The text of a message. */
export const textIn = ({ content }: MastraDBMessage): string =>
  content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|');

/** A list of messages from the caller; assistant messages are responses of this run. */
export const listOf = (...messages: MastraDBMessage[]): MessageList => {
  const list = new MessageList();
  for (const one of messages) list.add(one, one.role === 'assistant' ? 'response' : 'input', { merge: false });
  return list;
};

/** The content of a list: text by id, in order. */
export const contents = (list: MessageList): [string, string][] => list.get.all.db().map((one) => [one.id, textIn(one)]);

export const model = scriptedModel({ steps: [] }) as unknown as ResolvedModel; // Mastra's type adds brands of its own

/** A model of an old specification. */
export const oldModel = { specificationVersion: 'v1', modelId: 'old', provider: 'old' };

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const chunk = { type: 'text-delta', runId: 'run', from: 'AGENT', payload: { id: 'text-1', text: 'Hello world' } };

/** A payload of each phase as the loop creates it. */
export const payloads: { [P in Phase]: (list: MessageList) => PhaseData<P> } = {
  input: (messageList) => ({ phase: 'input', messages: messageList.get.all.db(), messageList, systemMessages: [] }),
  inputStep: (messageList) => ({
    phase: 'inputStep',
    messages: messageList.get.all.db(),
    messageList,
    systemMessages: [],
    stepNumber: 1,
    steps: [],
    runId: 'run',
    messageId: 'answer',
    model,
    tools: {},
  }),
  llmRequest: (messageList) => ({
    phase: 'llmRequest',
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    model,
    messageList,
    stepNumber: 1,
  }),
  apiError: (messageList) => ({
    phase: 'apiError',
    error: new Error('400'),
    messages: messageList.get.all.db(),
    messageList,
    stepNumber: 1,
  }),
  outputStream: (messageList) => ({ phase: 'outputStream', part: chunk, streamParts: [], state: {}, messageList }),
  llmResponse: () => ({ phase: 'llmResponse', chunks: [], model, stepNumber: 1, fromCache: false }),
  outputStep: (messageList) => ({
    phase: 'outputStep',
    messages: messageList.get.all.db(),
    messageList,
    stepNumber: 1,
    finishReason: 'stop',
    text: 'Hello',
    usage,
  }),
  toolResult: (messageList) => ({
    phase: 'toolResult',
    messages: messageList.get.all.db(),
    messageList,
    stepNumber: 1,
    toolName: 'lookup',
    toolCallId: 'call-1',
    args: { q: 1 },
    result: 'found',
  }),
  outputResult: (messageList) => ({
    phase: 'outputResult',
    messages: messageList.get.response.db(),
    messageList,
    result: { text: 'Hello', usage, finishReason: 'stop', steps: [] },
  }),
};

/** A conversation with a question, a tool call and a response. */
export const conversation = (): MessageList =>
  listOf(
    message('question', 'Where is parcel 7?'),
    message('answer', [toolPart('call-1', 'found'), { type: 'text', text: 'On its way.' }], { role: 'assistant' }),
  );

/** A scope that stores all reports. */
export interface TestScope extends RunScope {
  readonly reports: GuardReport[];
  readonly shadows: GuardReport[];
  readonly conflicts: Parameters<Reports['reportConflict']>[0][];
  readonly stale: StaleReport[];
  readonly written: unknown[];
}

export const createScope = (own: Partial<RunScope> = {}): TestScope => {
  const slots = new Map<string, ProcessorSlot>();
  const reports: GuardReport[] = [];
  const shadows: GuardReport[] = [];
  const conflicts: Parameters<Reports['reportConflict']>[0][] = [];
  const stale: StaleReport[] = [];
  const written: unknown[] = [];
  return {
    runId: 'run',
    host: createHost(),
    agent: { id: 'agent' } as never, // hooks only pass it on
    requestContext: new RequestContext(),
    tracingContext: { currentSpan: undefined },
    writer: { custom: async (data) => void written.push(data) },
    abortSignal: new AbortController().signal,
    retryCount: () => 0,
    slot: (id) => {
      const slot = slots.get(id) ?? { state: {}, streamParts: [] };
      slots.set(id, slot);
      return slot;
    },
    now: () => performance.now(),
    reportGuard: (report) => void reports.push(report),
    reportConflict: (report) => void conflicts.push(report),
    reportStale: (report) => void stale.push(report),
    reportLateAbort: () => undefined,
    setTimer: systemTimer,
    openShadow: () => (report) => void shadows.push(report),
    reports,
    shadows,
    conflicts,
    stale,
    written,
    ...own,
  };
};

/** A processor with one hook, given by its name. */
export const withHook = (id: string, hook: string, run: (args: never) => unknown, own: Partial<Processor> = {}): Processor => ({
  id,
  [hook]: run,
  ...own,
});

/** Runs one hook over a payload, as a guard. */
export const judge = async <P extends Phase>(
  data: PhaseData<P>,
  run: (args: never) => unknown,
  { scope = createScope(), id = 'guard' }: { scope?: RunScope; id?: string } = {},
): Promise<Verdict<PhaseData<P>>> => {
  const row = phaseRow<P>(data.phase);
  return inSequence([stepOf({ row, processor: withHook(id, row.hook, run), path: `test/${id}` })])(data, scope);
};

/** The payload after an edit; fails on any other verdict. */
export const edited = <D>(verdict: Verdict<D>): D => {
  if (verdict.kind !== 'edit') throw new Error(`The verdict is ${verdict.kind}, not an edit.`, { cause: verdict });
  return verdict.data;
};

/** The code of the error if there is no verdict. */
export const codeOf = (verdict: Verdict<unknown>): unknown =>
  verdict.kind === 'unavailable' ? (verdict.error as { code?: unknown }).code : `(${verdict.kind})`;
