import type { Host } from '../../phase/host.js';
import type { PhaseData } from '../../phase/row.js';

interface UndoRecord {
  readonly toolCallId: string;
  /** Makes the list what it was before the first guard of the result. */
  readonly undo: () => void;
}

/** By conversation, the result that guards judge now: Mastra has the results of one conversation judged one after another. */
const places = new WeakMap<object, UndoRecord>();

/**
 * Saves a conversation before the guards of a tool result run. A stock agent writes the result after its guards, but an edit writes it earlier,
 * where it would stay if a later guard rejected it. On Mastra's engine each guard is a step: the first one saves.
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
