import type { createSignal, TripWire } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { Host } from '../../phase/host.js';
import { readTripWire } from '../../plain/read-trip-wire.js';
import { createMessagePort } from '../messages/create-message-port.js';

/** The parts of Mastra that a host uses. */
export interface MastraParts {
  readonly MessageList: typeof MessageList;
  readonly TripWire: typeof TripWire;
  readonly createSignal: typeof createSignal;
}

/** Mastra behind the interface of the pure modules. The caller passes the classes, because it has loaded them. */
export const mastraHost = (parts: MastraParts, resolveModel: Host['resolveModel']): Host => ({
  messages: createMessagePort(parts),
  createTripWire: ({ reason, retry, metadata, processorId }) => new parts.TripWire(reason, { retry, metadata }, processorId),
  readTripWire,
  resolveModel,
});
