import type { Mastra } from '@mastra/core/mastra';
import { InterlockError } from '../../../src/index.js';
import { importModule } from './import-module.js';

/**
 * Loads the Mastra instance that a module exports as `mastra` or as its default, or makes one of the AI SDK's agents that it exports. Raises
 * `studio/invalid-entry` and `command/failed-module`.
 */
export const loadEntry = async (path: string): Promise<Mastra> => {
  const module = await importModule(path);
  const found = [module['mastra'], module['default']].find(isMastra);
  if (found) return found;
  const agents = Object.fromEntries(Object.entries(module).filter(([, value]) => isLoop(value)));
  if (Object.keys(agents).length > 0) {
    const { Mastra } = await import('@mastra/core/mastra');
    return new Mastra({ agents: agents as never, logger: false }); // the AI SDK's agents, of whatever tools
  }
  throw new InterlockError('studio/invalid-entry', { path, detail: `it exports ${Object.keys(module).join(', ') || 'nothing'}` });
};

const isMastra = (value: unknown): value is Mastra =>
  typeof value === 'object' && value !== null && 'listAgents' in value && 'listWorkflows' in value;

/** A `ToolLoopAgent` of the AI SDK, or what `guardedToolLoop` returns. */
const isLoop = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'version' in value && value.version === 'agent-v1' && 'stream' in value;
