import { pathToFileURL } from 'node:url';
import type { Mastra } from '@mastra/core/mastra';
import { InterlockError } from '../../../src/index.js';

/** Loads the Mastra instance that a module exports as `mastra` or as its default. Raises `studio/invalid-entry`. */
export const loadEntry = async (path: string): Promise<Mastra> => {
  const module = await load(path);
  const found = [module['mastra'], module['default']].find(isMastra);
  if (found) return found;
  throw new InterlockError('studio/invalid-entry', { path, detail: `it exports ${Object.keys(module).join(', ') || 'nothing'}` });
};

const load = async (path: string): Promise<Record<string, unknown>> => {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>; // a module's exports
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new InterlockError('studio/invalid-entry', { path, detail, cause });
  }
};

const isMastra = (value: unknown): value is Mastra =>
  typeof value === 'object' && value !== null && 'listAgents' in value && 'listWorkflows' in value;
