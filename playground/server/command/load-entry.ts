import type { Mastra } from '@mastra/core/mastra';
import { InterlockError } from '../../../src/index.js';
import { importModule } from './import-module.js';

/** Loads the Mastra instance that a module exports as `mastra` or as its default. Raises `studio/invalid-entry` and `command/failed-module`. */
export const loadEntry = async (path: string): Promise<Mastra> => {
  const module = await importModule(path);
  const found = [module['mastra'], module['default']].find(isMastra);
  if (found) return found;
  throw new InterlockError('studio/invalid-entry', { path, detail: `it exports ${Object.keys(module).join(', ') || 'nothing'}` });
};

const isMastra = (value: unknown): value is Mastra =>
  typeof value === 'object' && value !== null && 'listAgents' in value && 'listWorkflows' in value;
