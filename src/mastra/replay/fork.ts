import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { InterlockError } from '../../errors.js';
import { forkPorts } from '../../loop/fork-ports.js';
import type { Trace } from '../../trace/collect-traces.js';
import { readContents } from '../../trace/contents.js';
import { headerOf } from '../../trace/trace-lines.js';
import type { TraceRecorder } from '../../trace/trace-writer.js';
import { toPlainJson } from '../../trace/plain-json.js';
import { insidesOfAgent, type InterlockAgent } from '../agent/agent.js';
import type { InterlockStream } from '../agent/result-types.js';
import { forkedRun } from '../agent/forked-run.js';
import type { ReplayGuards } from './replay-lanes.js';
import { replayList } from './replay-list.js';

/** What is another in a fork than in the recorded run. */
interface ForkEdits {
  /** Texts of messages that the run began with, by their ids. */
  readonly messages?: Readonly<Record<string, string>>;
  /** Results of tools, by the ids of their calls. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** Guards in place of the agent's. */
  readonly guards?: ReplayGuards;
}

interface ForkOptions extends ForkEdits {
  /** The id of the new run. */
  readonly runId: string;
  readonly record?: TraceRecorder;
  readonly abortSignal?: AbortSignal;
}

/**
 * Runs a recorded run again with something edited: as it was up to what that changes, and with the agent's own model and tools from there on.
 * Raises `trace/invalid`, `trace/redacted`, and what a call of the agent raises.
 */
export const fork = async (given: Trace, agent: InterlockAgent, options: ForkOptions): Promise<InterlockStream> => {
  const { runId, record, abortSignal, guards, messages = {}, results = {} } = options;
  if (headerOf(given).concealedFor.length > 0) throw new InterlockError('trace/redacted', { path: 'concealedFor' });
  const trace = withResults(given, results);
  const list = replayList(trace, readContents(trace), () => globalThis.crypto.randomUUID());
  return forkedRun(agent, insidesOfAgent(agent), {
    messages: list.get.all.db().map((message) => withText(message, messages[message.id])),
    options: { runId, ...(record && { record }), ...(abortSignal && { abortSignal }) },
    guards,
    answering: (ports) => forkPorts(ports, trace, runId),
  });
};

/** A message with its text replaced; whatever else it holds stays. */
const withText = (message: MastraDBMessage, text: string | undefined): MastraDBMessage => {
  if (text === undefined) return message;
  const { content } = message;
  const others = content.parts.filter(({ type }) => type !== 'text');
  return {
    ...message,
    content: { ...content, parts: [{ type: 'text', text }, ...others], ...(content.content !== undefined && { content: text }) },
  };
};

const withResults = (trace: Trace, results: Readonly<Record<string, unknown>>): Trace =>
  trace.map((entry) =>
    entry.kind === 'tool' && Object.hasOwn(results, entry.toolCallId)
      ? { ...entry, ended: 'result', outcome: toPlainJson({ result: results[entry.toolCallId] }) }
      : entry,
  );
