import { InterlockError } from '../../errors.js';
import { isPromise } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import type { Outcome } from '../outcome.js';
import type { Chunk, TokenUsage } from '../ports.js';
import { createPartIds, type PartIds } from '../part-ids.js';
import { agentChunk, currentAttempt, isGuarded, release, stopWith, streamPayload, type Attempt, type Run } from '../run.js';

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
    const outcome = await pump(run, attempt, parts);
    if (outcome.kind === 'done') noteFinish(run, attempt, run.scope.now() - startedAt);
    return outcome;
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
    return replay(attempt.cached.chunks as Chunk[], runId);
  }
  const { entry, prompt, settings } = attempt;
  const response = await ports.callModel({ ...settings, entry, prompt, mode, abortSignal });
  attempt.request = response.request;
  attempt.response = { ...(response.response as Record<string, unknown> | undefined) };
  attempt.warnings = response.warnings ?? [];
  return readParts(response.parts, (part) => ports.toChunk(part, runId));
};

async function* replay(chunks: readonly Chunk[], runId: string): Parts & AsyncGenerator<Chunk> {
  for (const chunk of chunks) yield { ...chunk, runId, from: 'AGENT' };
}

/** Reads one part at a time, on demand: the provider is asked for no more than the reader of the run takes. */
async function* readParts(parts: ReadableStream<unknown>, toChunk: (part: unknown) => Chunk | undefined): AsyncGenerator<Chunk | undefined> {
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

const pump = async (run: Run, attempt: Attempt, parts: Parts): Promise<Outcome> => {
  const plan = run.options.lanes.output;
  const guarded = isGuarded(run, 'outputStream');
  const ids = createPartIds(run.usedPartIds);
  const payload = streamPayload(run, null);
  for await (const chunk of parts) {
    if (!chunk) continue;
    if (chunk.type === 'error') throw (chunk.payload as { error?: unknown })?.error ?? chunk.payload;
    keepRaw(run, attempt, chunk);
    const owned = ids.own(chunk);
    let part: unknown = owned;
    if (guarded && plan) {
      payload.part = owned;
      const pending = plan.run('outputStream', payload, run.scope);
      const verdict = isPromise(pending) ? await pending : pending;
      if (verdict.kind === 'edit') part = (verdict.data as PhaseData<'outputStream'>).part;
      else if (verdict.kind !== 'pass') return stopWith(run, verdict);
    }
    const waiting = take(run, attempt, { seen: owned, part: part as Chunk | null, ids });
    if (waiting) await waiting;
    if (run.stop) return stopWith(run, run.stop); // a guard stopped on a data part that another guard wrote
  }
  if (!attempt.finish)
    throw new InterlockError('model/malformed-stream', { path: attempt.entry.model.modelId, detail: 'no finish part came.' });
  return { kind: 'done' };
};

interface Taken {
  /** The chunk as the guards were given it. */
  seen: Chunk;
  /** What they left of it. */
  part: Chunk | null;
  ids: PartIds;
}

/** Takes a judged chunk into the answer and lets it out. A finish part is the loop's to tell, whatever guards left of it. */
const take = (run: Run, attempt: Attempt, { seen, part }: Taken): Promise<void> | undefined => {
  if (seen.type === 'finish') {
    attempt.finish = readFinish(seen);
    return undefined;
  }
  if (seen.type === 'response-metadata') Object.assign(attempt.response, readMetadata(seen));
  if (!part) return undefined;
  attempt.answer.add(part);
  return release(run, part);
};

const keepRaw = (run: Run, attempt: Attempt, chunk: Chunk): void => {
  if (isGuarded(run, 'llmResponse')) attempt.rawChunks.push({ type: chunk.type, payload: chunk.payload });
};

interface FinishPayload {
  stepResult?: { reason?: string };
  output?: { usage?: TokenUsage };
  providerMetadata?: unknown;
}

const readFinish = ({ payload }: Chunk): NonNullable<Attempt['finish']> => {
  const { stepResult, output, providerMetadata } = (payload ?? {}) as FinishPayload;
  const none = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
  return { reason: stepResult?.reason ?? 'unknown', usage: output?.usage ?? none, providerMetadata };
};

const readMetadata = ({ payload }: Chunk): Record<string, unknown> => {
  const { type: _type, ...metadata } = payload as Record<string, unknown>;
  return metadata;
};

const noteFinish = (run: Run, attempt: Attempt, durationMs: number): void => {
  const { reason, usage } = attempt.finish as NonNullable<Attempt['finish']>;
  for (const [name, count] of Object.entries(usage))
    if (typeof count === 'number') run.usage[name] = ((run.usage[name] as number | undefined) ?? 0) + count;
  const { inputTokens, outputTokens, totalTokens } = usage;
  run.recorder.record({
    type: 'model-finish',
    finishReason: reason,
    usage: { inputTokens, outputTokens, totalTokens },
    durationMs,
    fromCache: attempt.cached !== undefined,
  });
};
