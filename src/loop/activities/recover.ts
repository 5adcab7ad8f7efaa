import { fieldsIn } from '../../phase/plain-data.js';
import { chunkIn } from '../../stream/gate/chunk.js';
import { InterlockError, isInterlockError, messageOf } from '../../errors.js';
import { unanswered } from '../create-run.js';
import { retract, agentChunk } from '../emit.js';
import { failWith, judge, judgeWhole, keepRejectedWords, isGuarded, publicError, streamPayload } from '../judge.js';
import type { Outcome } from '../activity.js';
import { conversationFields, rotationOf, stepFields } from '../conversation.js';
import { changeAttempt, currentAttempt, type Attempt, type Run } from '../run.js';
import { stripQuotedError } from '../../guard/strip-quoted-error.js';

/** The model call failed. Guards may repair the messages and request another call; otherwise the next model is called, or the run ends. */
export const recover = async (run: Run): Promise<Outcome> => {
  const { ports, limits } = run.options;
  const attempt = currentAttempt(run);
  const { error } = run.state;
  const judged = await judge<'apiError'>(run, {
    phase: 'apiError',
    error,
    ...conversationFields(run),
    ...stepFields(run),
    messageId: run.state.messageId,
    rotateResponseMessageId: rotationOf(run),
    retryCount: run.state.counters.recoveries,
  });
  if (judged.outcome) return judged.outcome;
  const isFinal = run.options.mayTakeBack?.() === false;
  const again = judged.data.decision === 'retry' && run.state.counters.recoveries < limits.maxRecoveries;
  const next = isFinal ? undefined : again ? attempt.entry : ports.models[run.state.counters.modelIndex + 1];
  const shown = await judgedError(run, error);
  run.recorder.record({ type: 'model-error', message: messageOf(shown), recovered: next !== undefined });
  if (!next) return giveUp(run, shown);
  await reopen(run, attempt);
  changeAttempt(run, { ...unanswered(), entry: next });
  return { kind: again ? 'same-model' : 'next-model' };
};

/** Repeats the call; chunks that the failed one emitted are retracted. */
const reopen = async (run: Run, attempt: Attempt): Promise<void> => {
  await retract(run, { partIds: attempt.answer.partIds, place: attempt.place ?? run.options.streamBuffer.offset, scope: 'step' });
  run.change({ error: undefined });
  keepRejectedWords(run);
};

const giveUp = (run: Run, error: unknown): Outcome => {
  const path = currentAttempt(run).entry.model.modelId;
  const detail = messageOf(error);
  failWith(run, isInterlockError(error) ? error : new InterlockError('model/call-failed', { path, detail, cause: error }));
  return { kind: 'give-up' };
};

const withheld = '…';

/**
 * A provider's error for callers, events and spans. It may quote an answer that never arrived: the stream's guards judge its texts as an
 * `error` chunk. Their edits apply; texts that they block, or cannot judge, are buffered.
 */
const judgedError = async (run: Run, error: unknown): Promise<unknown> => {
  const shown = publicError(run, error);
  if (run.options.serveErrorDetails || !isGuarded(run, 'outputStream')) return shown;
  const texts = new Set<string>();
  stripQuotedError(shown, (text) => {
    texts.add(text);
    return text;
  });
  const left = await judgeTexts(run, [...texts]);
  return stripQuotedError(shown, (text) => left.get(text) ?? text);
};

const judgeTexts = async (run: Run, texts: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const data = streamPayload(run, agentChunk(run, 'error', { error: texts }));
  const verdict = await judgeWhole(run, data);
  const part = chunkIn(verdict.kind === 'edit' ? verdict.data : data);
  const isLeft = verdict.kind === 'pass' || verdict.kind === 'edit';
  const left: unknown = isLeft ? fieldsIn(part?.payload)['error'] : undefined;
  const edited: readonly unknown[] = Array.isArray(left) ? left : [];
  return new Map(texts.map((text, index) => [text, typeof edited[index] === 'string' ? edited[index] : withheld]));
};
