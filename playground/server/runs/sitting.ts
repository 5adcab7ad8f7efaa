import type { MastraDBMessage, MessageListInput } from '@mastra/core/agent/message-list';
import type { RunEvent } from '../../../src/index.js';
import type { AnswerCall } from '../../protocol/runs.js';
import type { Place } from '../../protocol/trace-entry.js';
import type { KnownAgent } from '../catalog/known.js';
import type { Conversations } from './conversations.js';
import { entriesOfChunk, type SeenChunk } from './entries-of-chunk.js';
import type { RunLog } from './run-log.js';
import { createStockEnding } from './stock-ending.js';

/** A run of an agent's, from its start or an answer to where it ends or rests. */
export interface Sitting {
  readonly agent: KnownAgent;
  readonly threadId: string;
  readonly log: RunLog;
  controller: AbortController;
  /** Where the run is, as far as is known. */
  place: Place;
}

/** What both kinds of agents give, as far as it is read here. */
export interface AgentStream {
  readonly fullStream: AsyncIterable<unknown>;
  getFullOutput(): Promise<{ readonly messages?: readonly MastraDBMessage[] }>;
}

/** Begins the run of a text in a conversation. */
export const openStream = (sitting: Sitting, before: readonly MastraDBMessage[], text: string): Promise<AgentStream> => {
  const { agent, memory } = agentOf(sitting);
  const said = { role: 'user', content: text };
  const messages = (memory ? [said] : [...before, said]) as MessageListInput; // database messages are among Mastra's inputs
  return agent.stream(messages, { ...options(sitting), ...(memory && { memory }) } as never) as Promise<AgentStream>; // see options
};

/** Goes on with a run that rests. */
export const resumeStream = (sitting: Sitting, { toolCallId, approved, reason, data }: AnswerCall): Promise<AgentStream> => {
  const { agent } = agentOf(sitting);
  const call = { ...options(sitting), toolCallId };
  if (data !== undefined) return agent.resumeStream(data, call as never) as Promise<AgentStream>; // see options
  return approved ? agent.approveToolCall(call) : agent.declineToolCall({ ...call, reason });
};

/** An agent with memory of its own keeps its conversations there. */
const agentOf = ({ agent: { agent }, threadId }: Sitting) => ({
  agent,
  memory: agent.hasOwnMemory() ? { thread: threadId, resource: 'studio' } : undefined,
});

/** What both kinds of agents take; a stock agent is not given what it does not know. */
const options = (sitting: Sitting) => {
  const { agent, log, controller } = sitting;
  const shared = { runId: log.runId, abortSignal: controller.signal };
  if (agent.kind === 'mastra') return shared;
  const onRunEvent = (event: RunEvent) => {
    sitting.place = { stepNumber: event.stepNumber, attempt: event.attempt };
    log.add({ kind: 'event', event });
  };
  return { ...shared, onRunEvent };
};

/** Reads a stream to its end, and keeps what was accepted. Never rejects. */
export const follow = async (sitting: Sitting, stream: AgentStream, conversations: Conversations): Promise<void> => {
  const { agent, log, threadId } = sitting;
  const stock = agent.kind === 'mastra' ? createStockEnding() : undefined;
  try {
    for await (const chunk of stream.fullStream as AsyncIterable<SeenChunk>) {
      if (stock) sitting.place = stock.add(chunk);
      for (const fact of entriesOfChunk(chunk, sitting.place)) log.add(fact);
    }
    if (stock) log.end(stock.ending);
    if (log.summary.status !== 'success' || agent.agent.hasOwnMemory()) return;
    const { messages } = await stream.getFullOutput();
    if (messages) await conversations.write(threadId, messages);
  } catch (error) {
    log.end({ status: 'failed', error: { message: error instanceof Error ? error.message : String(error) } });
  }
};
