import { type Exports, importModule } from '../playground/server/command/import-module.js';
import { guardsFor, InterlockAgent, InterlockError, isInterlockError } from '../src/index.js';
import { parseTrace } from '../src/trace/traces.js';
import type { ReplayGuards } from '../src/mastra/replay/replay-setup.js';
import { isGraphSource, isWorkflow } from '../src/mastra/graph/to-graph.js';
import { type CommandIo, readText } from './command.js';

type Loaded = InterlockAgent | ReplayGuards;

const exported = ['default', 'agent', 'pipeline', 'guards'] as const;
const lanes = ['inputProcessors', 'outputProcessors', 'errorProcessors'] as const;

/**
 * Loads guards from a module: an agent, arrays, or a pipeline, a guard or a list of them, which then run in each array where they have
 * hooks. Raises `command/invalid-module` and `command/failed-module`.
 */
export const loadGuards = async (path: string): Promise<Loaded> => {
  const module = await importModule(path);
  const name = exported.find((one) => module[one] !== undefined);
  const value = name && module[name];
  if (value instanceof InterlockAgent) return value;
  if (!name || !isObject(value) || isForeignAgent(value))
    throw new InterlockError('command/invalid-module', { path, detail: describeProblem(module, name) });
  if (lanes.some((lane) => lane in value)) return value;
  const isWhole = Array.isArray(value) || isGraphSource(value) || isWorkflow(value);
  return inItsLanes((isWhole ? value : [value]) as Compilable);
};

type Compilable = Parameters<typeof guardsFor>[0];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An agent of Mastra's, or of another copy of this package. */
const isForeignAgent = (value: object): boolean => 'generate' in value && 'stream' in value;

const describeProblem = (module: Exports, name: string | undefined): string => {
  const names = Object.keys(module).join(', ') || 'nothing';
  if (!name) return `it exports ${names}; one of ${exported.join(', ')} is required`;
  if (isObject(module[name])) return `its ${name} is an agent, but not an InterlockAgent of this package`;
  return `its ${name} is a ${typeof module[name]}`;
};

/** A pipeline in the arrays where any of its hooks runs. */
const inItsLanes = (pipeline: Compilable): ReplayGuards => {
  const own = guardsFor(pipeline);
  return Object.fromEntries(lanes.filter((lane) => own[lane].length > 0).map((lane) => [lane, pipeline]));
};

type Trace = ReturnType<typeof parseTrace>;

/**
 * Calls a function with each trace. An unreadable trace, such as one of a process that was killed while writing, is reported by
 * its path, and the next one follows. Returns the number of unreadable traces.
 */
export const eachTrace = async (
  io: CommandIo,
  paths: readonly string[],
  use: (trace: Trace, path: string) => unknown,
): Promise<number> => {
  let unread = 0;
  for (const path of paths) {
    try {
      await use(parseTrace(await readText(io, path)), path);
    } catch (error) {
      if (!isUnread(error)) throw error;
      unread += 1;
      io.err(`${path}: ${error.message}\nSee ${error.docs}\n`);
    }
  }
  return unread;
};

/** Whether a file is at fault, and not guards or a command. */
const isUnread = (error: unknown): error is InterlockError =>
  isInterlockError(error) && (error.code.startsWith('trace/') || error.code === 'command/unreadable-file');
