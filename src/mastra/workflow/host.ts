import * as mastraAgent from '@mastra/core/agent';
import { ModelRouterLanguageModel } from '@mastra/core/llm';
import type { Host } from '../../phase/host.js';
import { mastraHost, resolveAlone } from '../graph/mastra-host.js';

const { createSignal, TripWire, MessageList } = mastraAgent;
const parts = { createSignal, TripWire, MessageList };

/** Mastra behind the interface of the pure modules. An agent passes its own `resolveModel`, with its gateways and keys. */
export const createHost = (resolveModel: Host['resolveModel'] = (model) => resolveAlone(model, ModelRouterLanguageModel)): Host =>
  mastraHost(parts, resolveModel);
