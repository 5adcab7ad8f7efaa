import { errorTable, InterlockError, isInterlockError } from '../../errors.js';
import type { Host } from '../../phase/host.js';
import type { PhaseData } from '../../phase/row.js';
import type { Stop, Verdict } from '../../verdict.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** The payload after a verdict; a stop is thrown, because Mastra's engine expects an exception. */
export const payloadOf = (verdict: Verdict<PhaseData>, data: PhaseData, host: Host): PhaseData => {
  switch (verdict.kind) {
    case 'pass':
      return data;
    case 'edit':
      return verdict.data;
    case 'trip':
    case 'retry':
    case 'unavailable':
      takeBackResult(data);
      throw errorOf(verdict, host);
    default:
      return verdict satisfies never;
  }
};

/** A stop as the host's exception. */
const errorOf = (stop: Stop, host: Host): Error => {
  if (stop.kind !== 'unavailable') {
    const { reason, metadata, processorId } = stop;
    return host.createTripWire({ reason, metadata, processorId, retry: stop.kind === 'retry' });
  }
  const error = isKnownError(stop.error)
    ? stop.error
    : new InterlockError('guard/unavailable', { path: `${stop.phase} ${stop.path}`, cause: stop.error });
  return Object.assign(error, { processorId: stop.processorId }); // an engine preserves an error's fields, but not its class
};

/** True if an error already has a code and a location. A nested workflow's error is a plain object. */
const isKnownError = (error: unknown): error is Error =>
  isInterlockError(error) || Object.hasOwn(errorTable, String(fieldsIn(error)['code']));

/**
 * The result currently judged, by conversation: Mastra has the results of one conversation judged sequentially. `undo` restores the list
 * from before its first guard.
 */
const places = new WeakMap<object, { readonly toolCallId: string; readonly undo: () => void }>();

/**
 * Saves a conversation before the guards of a tool result run, and writes the result into it, because guards may edit the messages. Mastra's
 * own agent writes the result after its guards: a rejected one must not stay. On Mastra's engine each guard is a step; the first one saves.
 */
export const recordResult = (data: PhaseData, { messages }: Host): void => {
  if (data.phase !== 'toolResult' || !data.messageList) return;
  const { messageList, toolCallId, result, toolResultValue = result } = data;
  if (messages.readToolResult(messageList, toolCallId).found) return;
  places.set(messageList, { toolCallId, undo: messages.checkpoint(messageList) });
  messages.writeToolResult(messageList, data, toolResultValue);
};

/** Removes the edits of a rejected result from the conversation. */
const takeBackResult = (data: PhaseData): void => {
  if (data.phase !== 'toolResult' || !data.messageList) return;
  const place = places.get(data.messageList);
  if (place?.toolCallId === data.toolCallId) place.undo();
};
