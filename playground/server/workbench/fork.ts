import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { InterlockError } from '../../../src/errors.js';
import { definedFields } from '../../../src/phase/plain-data.js';
import { forkPorts } from '../../../src/loop/replay-ports.js';
import { type Trace, headerOf } from '../../../src/trace/traces.js';
import { readContents } from '../../../src/trace/contents.js';
import type { TraceRecorder } from '../../../src/trace/trace-writer.js';
import { toPlainJson } from '../../../src/trace/plain-json.js';
import { insidesOfAgent, type InterlockAgent } from '../../../src/mastra/agent/agent.js';
import { driveHere, startedRun } from '../../../src/mastra/agent/callbacks.js';
import { streamTo } from '../../../src/mastra/agent/calls.js';
import type { InterlockStream } from '../../../src/mastra/agent/run-stream.js';
import { resolveOptions } from '../../../src/mastra/agent/resolve-options.js';
import { startRun } from '../../../src/mastra/agent/start-run.js';
import type { ReplayGuards } from '../../../src/mastra/replay/replay-setup.js';
import { replayList } from '../../../src/mastra/replay/replay-setup.js';

/** Differences of a fork from the recorded run. */
interface ForkEdits {
  /** Texts of the run's initial messages, by id. */
  readonly messages?: Readonly<Record<string, string>>;
  /** Results of tools, by call id. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** Arguments of tools, by call id. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Responses of the model, by step number and attempt: `0.1`. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly instructions?: string;
  /** The id of another model, with its provider. */
  readonly model?: string;
  /** Replaces the agent's guards. */
  readonly guards?: ReplayGuards;
}

interface ForkOptions extends ForkEdits {
  /** The id of the new run. */
  readonly runId: string;
  readonly record?: TraceRecorder;
  readonly abortSignal?: AbortSignal;
}

/**
 * Runs a recorded run again with edits: from the record up to the first difference, then with the agent's own model and tools. The
 * new run is not durable. Raises `trace/invalid`, `trace/redacted`, and the errors of a call of the agent.
 */
export const fork = async (recorded: Trace, agent: InterlockAgent, options: ForkOptions): Promise<InterlockStream> => {
  const { runId, record, abortSignal, guards, messages = {}, results = {}, instructions, model } = options;
  if (headerOf(recorded).concealedFor.length > 0) throw new InterlockError('trace/redacted', { path: 'concealedFor' });
  const trace = withResults(withResponses(recorded, options), results);
  const list = replayList(trace, readContents(trace), () => globalThis.crypto.randomUUID());
  const called = insidesOfAgent(agent);
  const { setup } = called;
  const call = { agent: called.agent, mode: 'stream' as const };
  const given = definedFields({ runId, record, abortSignal, instructions, model });
  const own = { ...setup.guards, durability: undefined, ...guards };
  const { options: resolved, requestContext } = await resolveOptions({ ...call, defaults: setup.defaults, given, guards: own });
  const run = await startRun({
    ...setup,
    ...call,
    options: resolved,
    requestContext,
    guards: own,
    messages: list.get.all.db().map((message) => withText(message, messages[message.id])),
    answering: (ports) => forkPorts(ports, trace, runId),
  });
  const started = startedRun(run, resolved, () => driveHere(run, called.suspended));
  return (await streamTo(called, started)) as InterlockStream; // the type that its callers get
};

/** A message with another text and otherwise the same content. */
const withText = (message: MastraDBMessage, text: string | undefined): MastraDBMessage => {
  if (text === undefined) return message;
  const { content } = message;
  const others = content.parts.filter(({ type }) => type !== 'text');
  return {
    ...message,
    content: { ...content, parts: [{ type: 'text', text }, ...others], ...(content.content !== undefined && { content: text }) },
  };
};

type Came = Extract<Trace[number], { kind: 'came' }>;

interface Streamed {
  readonly type: string;
  readonly payload?: { readonly toolCallId?: string };
}

/** The trace with other responses of the model: of an edited one the text is one chunk, of edited arguments no piece is streamed. */
const withResponses = (trace: Trace, { args = {}, answers = {} }: ForkEdits): Trace => {
  const replaced = new Set<string>();
  const edited = (entry: Came): Came[] => {
    const { type, payload = {} } = entry.chunk as Streamed;
    const { toolCallId = '' } = payload;
    const place = `${entry.stepNumber}.${entry.attempt}`;
    const put = (fields: object): Came => ({
      ...entry,
      chunk: { ...(entry.chunk as Streamed), payload: { ...payload, ...fields } },
    });
    if (type === 'text-delta' && Object.hasOwn(answers, place)) {
      const isFirst = replaced.size < replaced.add(place).size;
      return isFirst ? [put({ text: answers[place] })] : [];
    }
    if (!type.startsWith('tool-call') || !Object.hasOwn(args, toolCallId)) return [entry];
    return type === 'tool-call' ? [put({ args: toPlainJson(args[toolCallId]) })] : [];
  };
  return trace.flatMap((entry) => (entry.kind === 'came' && entry.chunk !== undefined ? edited(entry) : [entry]));
};

const withResults = (trace: Trace, results: Readonly<Record<string, unknown>>): Trace =>
  trace.map((entry) =>
    entry.kind === 'tool' && Object.hasOwn(results, entry.toolCallId)
      ? { ...entry, ended: 'result', outcome: toPlainJson({ result: results[entry.toolCallId] }) }
      : entry,
  );
