import type { StreamPart } from './spec.js';

/**
 * Restores the order of results of tools that the provider ran: the loop emits them after they were judged, the model's caller gets them
 * where they came.
 */
export const inOrder = (parts: readonly StreamPart[], order: readonly StreamPart[]): readonly StreamPart[] => {
  const results = parts.filter((part) => part.type === 'tool-result');
  if (results.length === 0) return parts;
  const places = new Map(order.map((part, place) => [part, place]));
  const arrived = order.flatMap((part, place) => (part.type === 'tool-result' ? [{ id: part.toolCallId, place }] : []));
  const placed: StreamPart[] = parts.filter((part) => part.type !== 'tool-result');
  for (const result of results) {
    const at = arrived.findIndex(({ id }) => id === result.toolCallId);
    const [found] = at === -1 ? [] : arrived.splice(at, 1);
    const next = found ? placed.findIndex((part) => (places.get(part) ?? -1) > found.place) : -1;
    placed.splice(next === -1 ? placed.length : next, 0, result);
  }
  return placed;
};
