import { anySignal, type Awaitable } from '../phase/awaitable.js';
import { InterlockError } from '../errors.js';
import type { Stop } from '../verdict.js';
import {
  publicToolName,
  type CallResponse,
  type FoundOutcome,
  type InsidePart,
  type ToolCall,
  type ToolOutcome,
  copyResult,
  finishedCall,
  keyOfCall,
  type FinishedCall,
  type ToolResult,
} from './tool-call.js';
import { rethrowInterruption } from './interruption.js';
import type { Attempt, Run } from './run.js';
import { mayRejectCalls, stopWith } from './judge.js';
import type { Outcome } from './activity.js';
import { openToolStream } from './guarded-stream.js';
import { emit, persistedPart } from './emit.js';
import { flushOf } from './persist-rejected-turn.js';
import type { Chunk, DataPart, ToolRequest } from './ports.js';

interface CallSite {
  readonly run: Run;
  readonly attempt: Attempt;
  readonly abortSignal: AbortSignal;
  readonly written: Map<string, readonly DataPart[]>;
  /** The output of finished calls that waits for the verdict on their results. */
  readonly waiting: Map<string, readonly Chunk[]>;
  stop(): void;
}

/** Prepares to run the calls of a step. */
export const createRunningCalls = (run: Run, attempt: Attempt) => {
  const started: Promise<ToolOutcome>[] = [];
  const canceled = new AbortController();
  const controller = new AbortController();
  const stopped: AbortSignal = controller.signal;
  const abortSignal = anySignal([run.options.abortSignal, canceled.signal]);
  const site: CallSite = {
    run,
    attempt,
    abortSignal,
    written: new Map(),
    waiting: new Map(),
    stop: () => controller.abort(),
  };
  return {
    /** Starts a call, or reuses the result of an equal one; never rejects. */
    start: (call: ToolCall): Promise<ToolOutcome> => {
      const outcome = execute(site, call).catch((error: unknown): ToolOutcome => {
        rethrowInterruption(error);
        return { kind: 'error', error };
      });
      outcome.catch(() => undefined); // an interruption is thrown when it is the call's turn
      started.push(outcome);
      return outcome;
    },
    /** The data parts of a call that are kept with the response: those that its tool wrote and guards released. */
    writtenBy: ({ toolCallId }: ToolCall): readonly DataPart[] => site.written.get(toolCallId) ?? [],
    /** Emits the output of a call that waited for the verdict on its result. Returns an outcome if a guard of the stream stops on it. */
    release: ({ toolCallId }: ToolCall) => releaseOutput(run, site.waiting.get(toolCallId) ?? []),
    /** Aborted as soon as a guard stops on something that a tool wrote. */
    stopped,
    /**
     * Stops the step. A retry waits for the running tools, because their effects cannot be undone and the next attempt needs their results;
     * any other stop cancels them and continues at once.
     */
    halt: async (how: 'wait' | 'cancel') => {
      if (how === 'wait') await Promise.all(started);
      else canceled.abort(new DOMException('Canceled: a guard stopped the step.', 'AbortError'));
    },
  };
};

const execute = async (site: CallSite, call: ToolCall): Promise<ToolOutcome> => {
  const { run, attempt } = site;
  const { toolCallId } = call;
  const fact = factOf(attempt, call);
  const { ruling, waiting, answer: resume } = attempt.calls.get(toolCallId) ?? {};
  if (ruling?.kind === 'rejected') {
    run.recorder.record({ type: 'tool-finish', ...fact, outcome: 'denied', durationMs: 0 });
    return { kind: 'error', error: ruling.message };
  }
  if (waiting?.kind === 'data') return { kind: 'suspended', suspension: waiting.suspension };
  if (resume?.kind === 'declined') {
    run.recorder.record({ type: 'tool-finish', ...fact, outcome: 'denied', durationMs: 0 });
    return { kind: 'denied', reason: resume.reason };
  }
  if (resume?.kind === 'data' && resume.suspension.unknown) return executeFound(site, call, resume);
  return executeKnown(site, call, resume);
};

/** A call as events name it. */
const factOf = ({ settings }: Attempt, { toolCallId, toolName }: ToolCall) => ({
  toolCallId,
  toolName: publicToolName(settings.tools, toolName),
});

type FoundOut = Extract<CallResponse, { kind: 'data' }>;

/** Applies a person's report on the call: it is not run again, or it starts again with the same input. */
const executeFound = async (site: CallSite, call: ToolCall, { data, suspension }: FoundOut): Promise<ToolOutcome> => {
  const fact = factOf(site.attempt, call);
  const found = data as FoundOutcome; // validated on receipt
  if (found.outcome === 'not-done') return executeKnown(site, call, suspension.unknown?.resume);
  site.run.recorder.record({ type: 'tool-start', ...fact });
  site.run.recorder.record({ type: 'tool-finish', ...fact, outcome: 'result', durationMs: 0 });
  return finished(site, call, { kind: 'result', result: found.result });
};

/** The result for the conversation: a copy if guards could edit it there. */
const finished = ({ run, attempt }: CallSite, called: ToolCall, result: ToolResult): ToolOutcome => {
  const isGuarded = Object.values(run.options.lanes).some(Boolean);
  const call = finishedCall(called, result, isGuarded);
  attempt.finishedCalls.push(call);
  const { key: _key, ...own } = call;
  return isGuarded ? copyResult(own) : own;
};

const executeKnown = async (site: CallSite, call: ToolCall, resume: CallResponse | undefined): Promise<ToolOutcome> => {
  const { run, attempt } = site;
  const { toolCallId } = call;
  const fact = factOf(attempt, call);
  const reused = findFinished(run.state.reusable, call);
  if (reused) {
    // It serves one call: if a step makes a call twice that its rejected attempt made once, the tool runs once more.
    run.change({ reusable: run.state.reusable.filter((one) => one !== reused) });
    run.recorder.record({ type: 'tool-finish', ...fact, outcome: 'reused', durationMs: 0 });
    return finished(site, call, reused);
  }
  run.recorder.record({ type: 'tool-start', ...fact });
  let isHere = false;
  const {
    outcome,
    durationMs,
    stop,
    released = [],
    waiting = [],
  } = await keepEnd(run, { call, resume }, (inside) => {
    isHere = true;
    return runTool(site, { call, resume, inside });
  });
  if (!isHere) for (const chunk of released) await emit(run, chunk); // its process may have died before readers got them
  site.written.set(toolCallId, released.flatMap(persistedPart));
  site.waiting.set(toolCallId, waiting);
  if (stop) {
    stopWith(run, stop);
    site.stop();
  }
  if (outcome.kind === 'client') return outcome;
  run.recorder.record({ type: 'tool-finish', ...fact, outcome: outcome.kind, durationMs });
  return outcome.kind === 'result' ? finished(site, call, outcome) : outcome;
};

/** Runs a tool as often as its effect allows. Its stored outcome does not depend on the outcome of its step. */
const keepEnd = async ({ options, journal }: Run, { call, resume }: Running, runIt: RunIt): Promise<ToolEnd> => {
  const { toolCallId, toolName } = call;
  const { effects = {} } = options;
  const effect = (Object.hasOwn(effects, toolName) && effects[toolName]) || 'idempotent';
  switch (effect) {
    case 'none':
      return runIt();
    case 'idempotent':
      return journal.part(`tool ${toolCallId}`, runIt);
    case 'once': {
      const isFirst = await journal.claim(`claim ${toolCallId}`);
      return journal.part(`tool ${toolCallId}`, async (inside) => (isFirst ? runIt(inside) : unknownEnd(toolName, resume)));
    }
    default:
      return effect satisfies never;
  }
};

/** JSON schema of a person's report on a call. */
const foundSchema = JSON.stringify({
  type: 'object',
  properties: { outcome: { enum: ['done', 'not-done'] }, result: {} },
  required: ['outcome'],
});

/** The model might repeat a call with an unknown outcome. The run therefore waits until a person has checked with the receiver. */
const unknownEnd = (toolName: string, resume: CallResponse | undefined): ToolEnd => {
  const { code, message } = new InterlockError('tool/unknown-outcome', { path: toolName });
  const suspension = { payload: { code, message }, resumeSchema: foundSchema, unknown: { resume } };
  return { outcome: { kind: 'suspended', suspension }, durationMs: 0, stop: undefined };
};

type RunIt = (inside?: InsidePart) => Promise<ToolEnd>;

type Running = Pick<ToolRequest, 'call' | 'resume' | 'inside'>;

/** The end of a tool run. */
interface ToolEnd {
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
  /** The stop, if a guard stopped on something that the tool wrote. */
  readonly stop: Stop | undefined;
  /** The output that guards have released. In a run that is not stored, only its parts that messages keep. */
  readonly released?: readonly Chunk[];
  /** See {@link CallSite.waiting}. */
  readonly waiting?: readonly Chunk[];
}

const runTool = async (site: CallSite, running: Running): Promise<ToolEnd> => {
  const { run, attempt, abortSignal } = site;
  const { settings } = attempt;
  const startedAt = run.scope.now();
  const { write, settle, released } = createWriting(site, running);
  const { hold, ports } = run.options;
  const isWithheld = hold !== undefined;
  const isInputUntold = mayRejectCalls(run) && attempt.answer.streamedCalls.includes(running.call.toolCallId);
  const given = attempt.calls.get(running.call.toolCallId)?.given?.input;
  const own = { given, list: run.state.list, settings, abortSignal, isInputUntold, isWithheld, flush: flushOf(run), write };
  const outcome = await ports.runTool({ ...running, ...own });
  const waiting = await settle(outcome);
  return { outcome, durationMs: run.scope.now() - startedAt, stop: run.state.stop, released, waiting };
};

/**
 * Creates the writer of a tool: it emits at once, or if the run buffers unaccepted content, after the tool has ended. Output of a
 * sub-agent that was rejected is then never shown.
 */
const createWriting = ({ run, stop }: CallSite, { inside }: Pick<Running, 'inside'>) => {
  const withheld: Chunk[] = [];
  const released: Chunk[] = [];
  const { copyChunk } = run.journal;
  const { hold, holdsToolOutput, runId } = run.options;
  const mayWait = ({ type }: Chunk): boolean => holdsToolOutput === true && type === 'tool-output';
  const guardedStream = openToolStream(run, (chunk) => {
    released.push(...(inside ? [copyChunk(chunk)] : persistedPart(chunk)));
  });
  /**
   * Judges tool output like model output; a stop ends the step. The tool itself continues: if it failed halfway, the next attempt would
   * run it again and its effect would happen twice.
   */
  const judged = async (passing: () => Awaitable<Outcome | undefined | void>): Promise<void> => {
    if (run.state.stop) return; // the step was stopped meanwhile: later tool output is discarded
    if (await passing()) stop();
  };
  const passOn = (chunk: Chunk) => judged(() => guardedStream.process({ runId, from: 'AGENT', ...chunk }));
  return {
    released,
    write: async (chunk: Chunk): Promise<void> => {
      const own = copyChunk(chunk); // the tool, or a sub-agent, may go on changing its own
      if (hold || mayWait(own)) withheld.push(own);
      else await passOn(own);
    },
    /** Returns the output that waits for the verdict on the result. */
    settle: async (outcome: ToolOutcome): Promise<readonly Chunk[]> => {
      const waiting: Chunk[] = [];
      if (outcome.kind !== 'error' || !outcome.withdraws) {
        for (const chunk of withheld)
          if (outcome.kind === 'result' && mayWait(chunk)) waiting.push(chunk);
          else await passOn(chunk);
        await judged(guardedStream.end);
      }
      guardedStream.close?.();
      return waiting;
    },
  };
};

const releaseOutput = async (run: Run, chunks: readonly Chunk[]): Promise<Outcome | undefined> => {
  if (chunks.length === 0) return undefined;
  const guardedStream = openToolStream(run);
  const { runId } = run.options;
  let outcome: Outcome | undefined | void;
  for (const chunk of chunks) outcome ||= await guardedStream.process({ runId, from: 'AGENT', ...chunk });
  outcome ||= await guardedStream.end();
  guardedStream.close?.();
  return outcome || undefined;
};

/** Finds the result of an equal call among those of rejected attempts. */
const findFinished = (reusable: readonly FinishedCall[], call: ToolCall): FinishedCall | undefined => {
  if (reusable.length === 0) return undefined;
  const key = keyOfCall(call);
  return reusable.find((one) => one.key === key);
};
