import { findToolPart } from '../loop/response.js';
import type { Run as LoopRun } from '../loop/run.js';
import { responseParts } from '../loop/step-record.js';
import { resultPayload } from '../loop/activities/review.js';
import { copyPlain } from '../phase/plain-data.js';
import { messageOf } from '../errors.js';
import { judge } from './judge.js';
import type { Run } from './run.js';
import { lateEditError } from './stop-errors.js';

/** A stop condition may have ended the run with a response that calls tools. Edits and retries are no longer possible then. */
export const judgeLast = async (run: Run, loop: LoopRun): Promise<void> => {
  run.change({ judgeLast: undefined });
  const { messages } = run.scope.host;
  const parts = responseParts(loop);
  for (const { type, input: args, output, error, ...call } of run.state.steps.at(-1)?.content ?? []) {
    const [toolCallId, toolName] = [String(call['toolCallId']), String(call['toolName'])];
    if ((type !== 'tool-result' && type !== 'tool-error') || !findToolPart(parts, toolCallId)) continue;
    const result = type === 'tool-error' ? messageOf(error) : output; // the AI SDK ran the tools
    messages.writeToolResult(loop.state.list, { toolCallId, toolName, args }, copyPlain(result));
  }
  const answers = () => JSON.stringify(messages.read(loop.state.list, 'response').map(({ content }) => content.parts));
  const before = answers();
  await judge<'outputResult'>(run, resultPayload(loop), { mayRetry: false });
  if (answers() !== before) throw run.end(lateEditError(run, 'outputResult'));
};
