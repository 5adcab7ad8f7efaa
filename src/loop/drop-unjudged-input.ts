import type { Chunk } from './ports.js';
import type { Attempt, Run } from './run.js';

const inputTypes: ReadonlySet<string> = new Set([
  'tool-call-input-streaming-start',
  'tool-call-delta',
  'tool-call-input-streaming-end',
]);

/**
 * Removes buffered pieces of tool arguments that are not part of the answer: no call follows them, or they are invalid JSON. Guards of a
 * whole answer cannot judge them.
 */
export const dropUnjudgedInput = ({ options: { streamBuffer } }: Run, { answer, place }: Attempt): void => {
  const judged = new Map(answer.toolCalls.map(({ toolCallId, args }) => [toolCallId, args !== undefined && args !== null]));
  if (answer.streamedCalls.every((id) => judged.get(id))) return;
  const isJudged = ({ type, payload }: Chunk): boolean => {
    const { toolCallId } = (payload ?? {}) as { toolCallId: string };
    return !inputTypes.has(type) || (type === 'tool-call-delta' ? judged.get(toolCallId) === true : judged.has(toolCallId));
  };
  streamBuffer.revise(place, undefined, (chunks) => chunks.filter(isJudged));
};
