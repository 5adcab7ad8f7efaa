import type { Host } from '../../phase/host.js';
import type { PhaseData } from '../../phase/row.js';

interface Place {
  readonly toolCallId: string;
  /** Makes the list what it was before the first guard of the result. */
  readonly undo: () => void;
}

/** For the list of a conversation, the result that guards are asked about. */
const places = new WeakMap<object, Place>();

/**
 * Remembers a conversation before guards are asked about the result of a tool. A stock agent writes the result after its guards: an edit puts it into
 * the list earlier, and it would stay there if a later guard rejects it. On Mastra's engine each guard is a step of its own: the first one counts.
 */
export const noteResult = (data: PhaseData, { messages }: Host): void => {
  if (data.phase !== 'toolResult' || !data.messageList) return;
  const { messageList, toolCallId } = data;
  if (!messages.readToolResult(messageList, toolCallId).found)
    places.set(messageList, { toolCallId, undo: messages.checkpoint(messageList) });
};

/** Takes edits of a result that a guard rejected out of the conversation again. */
export const takeBackResult = (data: PhaseData): void => {
  if (data.phase !== 'toolResult' || !data.messageList) return;
  const place = places.get(data.messageList);
  if (place?.toolCallId === data.toolCallId) place.undo();
};
