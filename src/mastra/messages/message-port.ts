import { createSignal } from '@mastra/core/agent';
import { MessageList } from '@mastra/core/agent/message-list';
import { createMessagePort } from './create-message-port.js';

/** Mastra's MessageList behind the port of the pure rooms. */
export const messagePort = createMessagePort({ MessageList, createSignal });
