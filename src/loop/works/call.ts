import { InterlockError } from '../../errors.js';
import { isPromise } from '../../phase/awaitable.js';
import { pass } from '../../verdict.js';
import { addChunk } from '../answer.js';
import { isGuarded, stopWith, streamPayload } from '../judge.js';
import type { Outcome } from '../outcome.js';
import { createPartIds } from '../part-ids.js';
import type { Chunk, TokenUsage } from '../ports.js';
import { agentChunk, release } from '../release.js';
import { currentAttempt, type Attempt, type Run } from '../run.js';
import { noUsage } from '../step-record.js';

/** The model call: each chunk passes the stream's guards before it leaves; a trip ends the provider's call. */
export const call = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const startedAt = run.scope.now();
  const controller = new AbortController();
  const signal = AbortSignal.any([run.signal, controller.signal]);
  const { modelId, provider } = attempt.entry.model;
  if (!attempt.cached) run.recorder.record({ type: 'model-call', modelId, provider });
  try {
    const parts = await openParts(run, attempt, signal);
    await announce(run, attempt);
    return await pump(run, attempt, { parts, startedAt });
  } catch (error) {
    run.error = error;
    return { kind: 'api-error' };
  } finally {
    run.recorder.flush();
    controller.abort();
  }
};

type Parts = AsyncIterable<Chunk | undefined>;

const openParts = async (run: Run, attempt: Attempt, abortSignal: AbortSignal): Promise<Parts> => {
  const { ports, mode, runId } = run.options;
  if (attempt.cached) {
    attempt.request = attempt.cached.request;
    attempt.warnings = attempt.cached.warnings ?? [];
    return replay(attempt.cached.chunks, runId);
  }
  const { entry, prompt, settings } = attempt;
  const response = await ports.callModel({ ...settings, entry, prompt, mode, abortSignal });
  attempt.request = response.request;
  attempt.response = { ...(response.response as Record<string, unknown> | undefined) }; // an object, where there is one
  attempt.warnings = response.warnings ?? [];
  return readParts(response.parts, (part) => ports.toChunk(part, runId));
};

async function* replay(chunks: readonly Chunk[], runId: string): AsyncGenerator<Chunk> {
  for (const chunk of chunks) yield { ...chunk, runId, from: 'AGENT' };
}

type ToChunk = (part: unknown) => Chunk | undefined;

/** Reads one part at a time, on demand: the provider is asked for no more than the reader of the run takes. */
async function* readParts(parts: ReadableStream<unknown>, toChunk: ToChunk): AsyncGenerator<Chunk | undefined> {
  const reader = parts.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield toChunk(value);
    }
  } finally {
    // Also on a trip: the provider's stream is cancelled, not left running.
    reader.cancel().catch(() => undefined);
  }
}

const announce = async (run: Run, attempt: Attempt): Promise<void> => {
  if (attempt.started) return;
  attempt.started = true;
  const payload = { messageId: run.messageId, request: attempt.request ?? {}, warnings: attempt.warnings };
  await release(run, { ...agentChunk(run, 'step-start', payload), metadata: { attempt: run.position.attempt } });
};

interface Pumping {
  parts: Parts;
  startedAt: number;
}

/** Chunks that are no part of an answer. */
const frame = new Set(['response-metadata', 'finish', 'raw']);

/** Clients that make a finish part of their own where none came give it one of these reasons. */
const madeUpReasons = new Set(['other', 'unknown']);

const pump = async (run: Run, attempt: Attempt, { parts, startedAt }: Pumping): Promise<Outcome> => {
  const plan = isGuarded(run, 'outputStream') ? run.options.lanes.output : undefined;
  const keepsRaw = isGuarded(run, 'llmResponse');
  const ids = createPartIds(run.usedPartIds);
  const payload = streamPayload(run, null);
  let spoke = false;
  for await (const chunk of parts) {
    run.signal.throwIfAborted();
    if (!chunk) continue;
    spoke ||= !frame.has(chunk.type);
    if (keepsRaw) attempt.rawChunks.push({ type: chunk.type, payload: chunk.payload });
    noteFacts(run, attempt, { chunk, startedAt });
    payload.part = ids.own(chunk);
    const pending = plan?.run('outputStream', payload, run.scope) ?? pass;
    const verdict = isPromise(pending) ? await pending : pending;
    if (verdict.kind !== 'pass' && verdict.kind !== 'edit') return stopWith(run, verdict);
    if (run.stop) return stopWith(run, run.stop); // a guard stopped on a data part that another guard wrote
    const waiting = take(run, attempt, (verdict.kind === 'edit' ? verdict.data : payload).part as Chunk | null);
    if (waiting) await waiting;
  }
  if (attempt.finish && (spoke || !madeUpReasons.has(attempt.finish.reason))) return { kind: 'done' };
  throw new InterlockError('model/malformed-stream', { path: attempt.entry.model.modelId, detail: 'no finish part came.' });
};

interface Arrival {
  chunk: Chunk;
  startedAt: number;
}

/** What a chunk tells the loop itself, whatever guards make of it. Throws the provider's error. */
const noteFacts = (run: Run, attempt: Attempt, arrival: Arrival): void => {
  const { type, payload } = arrival.chunk;
  if (type === 'error') throw (payload as { error?: unknown } | undefined)?.error ?? payload;
  if (type === 'finish') noteFinish(run, attempt, arrival);
  if (type === 'response-metadata') Object.assign(attempt.response, readMetadata(arrival.chunk));
};

/** Takes what the guards left of a chunk into the answer and lets it out. How a call finished is the loop's to tell. */
const take = (run: Run, { answer }: Attempt, part: Chunk | null): Promise<void> | undefined => {
  if (!part || part.type === 'finish') return undefined;
  addChunk(answer, part);
  return release(run, part);
};

const readMetadata = ({ payload }: Chunk): Record<string, unknown> => {
  const { type: _type, ...metadata } = payload as Record<string, unknown>; // the provider's part as it came
  return metadata;
};

interface FinishPayload {
  stepResult?: { reason?: string };
  output?: { usage?: TokenUsage };
  providerMetadata?: unknown;
}

/** The model is done: what it used counts, whatever guards still say about its answer. */
const noteFinish = (run: Run, attempt: Attempt, { chunk, startedAt }: Arrival): void => {
  if (attempt.finish) return;
  const { stepResult, output, providerMetadata } = (chunk.payload ?? {}) as FinishPayload;
  const { reason = 'unknown' } = stepResult ?? {};
  const usage = output?.usage ?? noUsage;
  attempt.finish = { reason, usage, providerMetadata };
  for (const [name, count] of Object.entries(usage))
    if (typeof count === 'number') run.usage[name] = ((run.usage[name] as number | undefined) ?? 0) + count;
  const { inputTokens, outputTokens, totalTokens } = usage;
  run.recorder.record({
    type: 'model-finish',
    finishReason: reason,
    usage: { inputTokens, outputTokens, totalTokens },
    durationMs: run.scope.now() - startedAt,
    fromCache: attempt.cached !== undefined,
  });
};
