import { estimateTokenCount } from 'tokenx';
import { recordModelFinish } from './record-model-chunk.js';
import type { Prompt } from './ports.js';
import type { Attempt, Run } from './run.js';

/**
 * Ends a call that was made for nothing: the guards beside it did not pass. What it has used counts: as the provider told it, where
 * the answer was there to its end, else by estimate.
 */
export const recordWastedCall = (run: Run, attempt: Attempt): void => {
  const { ahead, prompt = [] } = attempt;
  if (!ahead) return;
  attempt.ahead = undefined;
  ahead.hangUp();
  if (run.signal.aborted || attempt.cached) return; // the caller gave up, and no guard; or no model was called
  const { finish, startedAt } = ahead;
  if (finish) recordModelFinish(run, attempt, { chunk: finish, startedAt });
  const { inputTokens, outputTokens } = attempt.finish?.usage ?? {};
  run.recorder.record({
    type: 'model-wasted',
    durationMs: run.scope.now() - startedAt,
    inputTokens: inputTokens ?? estimateTokenCount(textOf(prompt)),
    outputTokens: outputTokens ?? ahead.estimateTokens(),
    isEstimated: inputTokens === undefined || outputTokens === undefined,
  });
};

const textOf = (prompt: Prompt): string =>
  prompt
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : '')),
    )
    .join('\n');
