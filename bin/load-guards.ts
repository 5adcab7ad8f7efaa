import { pathToFileURL } from 'node:url';
import { guardsFor, InterlockAgent, InterlockError, type LaneGuards, type ReplayGuards } from '../src/index.js';

type Loaded = InterlockAgent | ReplayGuards;

const exported = ['default', 'agent', 'pipeline', 'guards'] as const;
const lanes = ['inputProcessors', 'outputProcessors', 'errorProcessors'] as const;

/** Loads guards from a module: an agent, lanes, or a pipeline, which then stands in each lane where it has hooks. */
export const loadGuards = async (path: string): Promise<Loaded> => {
  const module = (await import(pathToFileURL(path).href)) as Partial<Record<string, unknown>>;
  const name = exported.find((one) => module[one] !== undefined);
  const value = name && module[name];
  if (value instanceof InterlockAgent) return value;
  if (typeof value !== 'object' || value === null)
    throw new InterlockError('agent/invalid-option', { path, detail: `it exports none of ${exported.join(', ')}.` });
  if (lanes.some((lane) => lane in value)) return value;
  return inItsLanes(value as Parameters<typeof guardsFor>[0]);
};

/** A pipeline in the lanes where any of its hooks runs. */
const inItsLanes = (pipeline: Parameters<typeof guardsFor>[0]): ReplayGuards => {
  const own: LaneGuards = guardsFor(pipeline);
  return Object.fromEntries(lanes.filter((lane) => own[lane].length > 0).map((lane) => [lane, pipeline]));
};
