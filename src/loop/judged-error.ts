import { stripQuotedError } from '../guard/strip-quoted-error.js';
import { planStream } from '../pipeline/stream-plan.js';
import { agentChunk } from './emit.js';
import { isGuarded, publicError, streamPayload } from './judge.js';
import type { Run } from './run.js';

const withheld = '…';

/**
 * A provider's error for callers, events and spans. It may quote an answer that never arrived: the stream's guards judge its texts as an
 * `error` chunk. Their edits apply; texts that they block, or cannot judge, are withheld.
 */
export const judgedError = async (run: Run, error: unknown): Promise<unknown> => {
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
  const { output } = run.options.lanes;
  const data = streamPayload(run, agentChunk(run, 'error', { error: texts }));
  const whole = output && planStream(output.graph)?.whole;
  const verdict = await (whole ? whole(data, run.scope) : output?.run('outputStream', data, run.scope));
  const part = (verdict?.kind === 'edit' ? verdict.data : data).part as { payload?: { error?: unknown } } | null | undefined; // guards return chunks
  const isLeft = verdict?.kind === 'pass' || verdict?.kind === 'edit';
  const left: unknown = isLeft ? part?.payload?.error : undefined;
  const edited: readonly unknown[] = Array.isArray(left) ? left : [];
  return new Map(texts.map((text, index) => [text, typeof edited[index] === 'string' ? edited[index] : withheld]));
};
