import { estimateTokenCount } from 'tokenx';
import { recordModelFinish } from './record-model-chunk.js';
import type { Prompt } from './ports.js';
import type { Attempt, Run } from './run.js';

/**
 * Records a call that is discarded because an overlap guard did not pass. Its usage counts: as the provider reported it if the
 * response was complete, otherwise by estimate.
 */
export const recordWastedCall = (run: Run, attempt: Attempt): void => {
  const { ahead, prompt = [] } = attempt;
  if (!ahead) return;
  attempt.ahead = undefined;
  ahead.hangUp();
  if (run.signal.aborted || attempt.cached) return; // the caller canceled, not a guard; or no model was called
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
