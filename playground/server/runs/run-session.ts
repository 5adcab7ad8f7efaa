import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { ModelMessage } from 'ai';
import type { InterlockAgent, RunEvent, Tripwire } from '../../../src/index.js';
import type { TraceRecorder } from '../../../src/replay.js';
import type { AnswerCall, RunOutcome } from '../../protocol/runs.js';
import type { Place, StudioEntry } from '../../protocol/trace-entry.js';
import { isInterlock, type KnownAgent } from '../catalog/known.js';
import type { Conversations, StoredMessage } from './conversations.js';
import { entriesOfChunk, type StreamedChunk } from './entries-of-chunk.js';
import { entryOfEvent } from './entries-of-trace.js';
import { openLoop, showWaiting, waitingCalls, type WaitingCalls } from './loop-session.js';
import { createNewEntries } from './new-entries.js';
import type { RunLog } from './run-log.js';

/** A segment of an agent's run: from its start, or from an answer, to its end or suspension. */
export interface RunSession {
  readonly agent: KnownAgent;
  readonly threadId: string;
  readonly log: RunLog;
  controller: AbortController;
  /** Settles when its stream has been read and its conversation is stored. Never rejects. */
  followed?: Promise<void>;
  /** The position of a run that an engine continues and whose trace is not written here, by its events. */
  reopened?: Place;
  /** The calls of a loop that wait for a person. */
  waiting?: WaitingCalls | undefined;
}

/** The used interface of both kinds of agents' streams. */
export interface AgentStream {
  readonly fullStream: AsyncIterable<unknown>;
  getFullOutput(): Promise<{ readonly messages?: readonly StoredMessage[] }>;
  /** Undefined for Mastra's own agent. */
  readonly runEvents?: readonly RunEvent[];
}

/** The start of every run. */
export const firstPlace: Place = { stepNumber: 0, attempt: 1 };

/** Starts the run of a text in a conversation. */
export const openStream = (session: RunSession, before: readonly StoredMessage[], text: string): Promise<AgentStream> => {
  const { agent, log } = session;
  const memory = memoryOf(session);
  const userMessage = { role: 'user', content: text };
  const loopMessages = [...before, userMessage] as ModelMessage[]; // a loop's conversation
  if (agent.loop) return openLoop(session, agent.loop, loopMessages);
  const messages = (memory ? [userMessage] : [...before, userMessage]) as MessageListInput; // database messages are valid inputs of Mastra
  const record: TraceRecorder = () => log.trace;
  if (agent.kind === 'mastra') log.add({ kind: 'input', messages: [{ id: log.runId, role: 'user', text }] });
  const own = agent.kind === 'interlock' && { record }; // Mastra's own agent does not get options that it does not support
  return agent.agent.stream(messages, { ...shared(session), ...own, ...(memory && { memory }) });
};

/** Follows a run that its engine stores, from its start. Raises `durable/no-engine` and `durable/no-run`. */
export const attachStream = async (agent: InterlockAgent, { log: { runId }, controller }: RunSession): Promise<AgentStream> => {
  const stream = await agent.attach(runId, { from: 0 });
  controller.signal.addEventListener('abort', () => void agent.cancel(runId).catch(() => undefined)); // otherwise it would continue
  return stream;
};

/** Continues a suspended run. */
export const resumeStream = async (session: RunSession, answer: AnswerCall): Promise<AgentStream> => {
  if (await isPersisted(session)) session.reopened ??= firstPlace;
  const stream = await answered(session, answer);
  if (session.agent.kind === 'mastra') session.log.add({ kind: 'status', status: 'running' }); // nothing else reports it
  return stream;
};

/** Whether an engine stores the run: then its trace ends at its suspension, also in its first process. */
const isPersisted = async ({ agent: { agent }, log: { runId } }: RunSession): Promise<boolean> =>
  isInterlock(agent) && (await agent.listRuns({ status: 'suspended', limit: Infinity })).some((run) => run.runId === runId);

const answered = (session: RunSession, { toolCallId, approved, reason, data }: AnswerCall): Promise<AgentStream> => {
  const { agent } = session.agent;
  const call = { ...shared(session), ...(session.reopened && { onRunEvent: addEvent(session) }), toolCallId };
  if (data !== undefined) return agent.resumeStream(data, call as never) as Promise<AgentStream>; // no overload of Mastra's fits
  return approved ? agent.approveToolCall(call) : agent.declineToolCall({ ...call, reason });
};

const shared = ({ log, controller }: RunSession) => ({ runId: log.runId, abortSignal: controller.signal });

/** An agent with its own memory stores its conversations there. */
const memoryOf = ({ agent: { agent }, threadId }: RunSession) =>
  agent.hasOwnMemory() ? { thread: threadId, resource: 'studio' } : undefined;

export interface Following {
  readonly conversations: Conversations;
  /** Default: by the agent and the run segment. */
  readonly read?: Reader;
}

/** Reads a stream to its end, and stores the accepted messages. Never rejects. */
export const follow = async (session: RunSession, stream: AgentStream, { conversations, read }: Following): Promise<void> => {
  const { log, threadId } = session;
  try {
    await (read ?? readerOf(session))(session, stream);
    if (log.summary.status !== 'success' || memoryOf(session)) return;
    const { messages } = await stream.getFullOutput();
    if (session.agent.loop) session.waiting = waitingCalls((messages ?? []) as ModelMessage[]); // as above
    if (session.waiting) showWaiting(log, session.waiting);
    else if (messages) await conversations.write(threadId, messages);
  } catch (error) {
    log.add({ kind: 'status', status: 'failed', error: { message: error instanceof Error ? error.message : String(error) } });
  }
};

/** Records the output of a stream, to its end. */
type Reader = (session: RunSession, stream: AgentStream) => Promise<void>;

const readerOf = ({ agent, reopened }: RunSession): Reader => {
  if (agent.kind === 'mastra') return readStock;
  return reopened ? readReopened : readToEnd;
};

/** The trace already has the output; reading drives the run. The last line of the trace comes after the last chunk. */
const readToEnd: Reader = async (_, stream) => {
  const reader = stream.fullStream[Symbol.asyncIterator]();
  while (!(await reader.next()).done);
  await stream.getFullOutput().catch(() => undefined); // the trace has the reason for the failure
};

/** Only the output of Mastra's own agent's run is known. */
const readStock: Reader = async ({ log }, { fullStream }) => {
  const stock = createStockOutcome();
  for await (const chunk of fullStream as AsyncIterable<StreamedChunk>) {
    const place = stock.add(chunk);
    for (const fact of entriesOfChunk(chunk, place)) log.add(fact);
  }
  log.add({ kind: 'status', ...stock.outcome });
};

const addEvent =
  (session: RunSession) =>
  (event: RunEvent): void => {
    const { stepNumber, attempt } = event;
    session.reopened = { stepNumber, attempt };
    session.log.add(entryOfEvent(event));
  };

/** Adds the events; each chunk gets the position of the last event. */
const readReopened: Reader = async (session, { fullStream }) => {
  for await (const chunk of fullStream as AsyncIterable<StreamedChunk>)
    for (const fact of entriesOfChunk(chunk, session.reopened ?? firstPlace)) session.log.add(fact);
};

/** Adds the new entries of a run that is published again from its beginning; an open entry is marked as failed. */
export const readRepeated =
  (before: readonly StudioEntry[]): Reader =>
  async ({ log }, stream) => {
    const newEntries = createNewEntries(before);
    for await (const chunk of stream.fullStream as AsyncIterable<StreamedChunk>)
      for (const fact of newEntries.chunk(chunk)) log.add(fact);
    for (const fact of newEntries.events(stream.runEvents ?? [])) log.add(fact);
    if (log.summary.status === 'running') await stream.getFullOutput();
  };

/** The progress of Mastra's own agent's run, from its chunks. */
interface StockOutcome {
  /** Takes a chunk; returns the position of the run. */
  add(chunk: StreamedChunk): Place;
  readonly outcome: RunOutcome;
}

/** Starts to read Mastra's own agent's stream. Its attempts are unknown, so each is the first. */
const createStockOutcome = (): StockOutcome => {
  let steps = 0;
  let outcome: RunOutcome = { status: 'success' };
  return {
    add: (chunk) => {
      if (chunk.type === 'step-start') steps += 1;
      outcome = outcome.status === 'success' ? (outcomeAt(chunk) ?? outcome) : outcome; // the first report of the end has the most detail
      return { stepNumber: Math.max(0, steps - 1), attempt: 1 };
    },
    get outcome() {
      return outcome;
    },
  };
};

const outcomeAt = ({ type, payload }: StreamedChunk): RunOutcome | undefined => {
  const { reason, processorId, retry, metadata, error } = (payload ?? {}) as Partial<Record<string, unknown>>; // any chunk's
  switch (type) {
    case 'tripwire':
      return tripped({
        reason: String(reason),
        processorId: String(processorId),
        ...(typeof retry === 'boolean' && { retry }),
        ...(metadata !== undefined && { metadata }),
      });
    case 'error':
      return { status: 'failed', error: { message: messageOf(error) } };
    case 'finish':
      return isTripped(payload) ? tripped({ reason: 'A processor stopped the run.', processorId: '' }) : undefined;
    case 'abort':
      return { status: 'canceled' };
    case 'tool-call-approval':
    case 'tool-call-suspended':
      return { status: 'suspended' };
    default:
      return undefined;
  }
};

/** Mastra's own agent does not report the phase of a processor. */
const tripped = (tripwire: Omit<Tripwire, 'phase' | 'path'>): RunOutcome => ({
  status: 'tripwire',
  tripwire: { ...tripwire, phase: '', path: '' },
});

/** Some stops appear only as the reason of the end. */
const isTripped = (payload: unknown): boolean => {
  const { stepResult } = (payload ?? {}) as { stepResult?: { reason?: unknown } };
  return stepResult?.reason === 'tripwire';
};

const messageOf = (error: unknown): string => {
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
};
