import type { Host } from '../../phase/host.js';
import type { PhaseData } from '../../phase/row.js';

interface UndoRecord {
  readonly toolCallId: string;
  /** Restores the list from before the first guard of the result. */
  readonly undo: () => void;
}

/** The result currently judged, by conversation: Mastra has the results of one conversation judged sequentially. */
const places = new WeakMap<object, UndoRecord>();

/**
 * Saves a conversation before the guards of a tool result run. A stock agent writes the result after its guards, but an edit
 * writes it earlier, where it would stay if a later guard rejected it. On Mastra's engine each guard is a step; the first one
 * saves.
 */
export const recordResult = (data: PhaseData, { messages }: Host): void => {
  if (data.phase !== 'toolResult' || !data.messageList) return;
  const { messageList, toolCallId } = data;
  if (!messages.readToolResult(messageList, toolCallId).found)
    places.set(messageList, { toolCallId, undo: messages.checkpoint(messageList) });
};

/** Removes the edits of a rejected result from the conversation. */
export const takeBackResult = (data: PhaseData): void => {
  if (data.phase !== 'toolResult' || !data.messageList) return;
  const place = places.get(data.messageList);
  if (place?.toolCallId === data.toolCallId) place.undo();
};
