import { isDeepStrictEqual } from 'node:util';
import { InterlockError } from '../../errors.js';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { isDelegated } from '../tools/delegation.js';
import { checkCallOptions } from '../options/check-options.js';
import { changesNothing, namesOf } from '../options/option-table.js';

/** Options that a resuming call may set. The run keeps its other options. */
const allowed = namesOf(({ onResume }) => onResume === 'allowed' || onResume === 'allowed-and-delegated');

/** Options that a supervisor repeats when it resumes an agent, unchanged. */
const repeatedToAgents = namesOf(({ onResume }) => onResume === 'delegated' || onResume === 'allowed-and-delegated');

/** Parsed options of a call that resumes a run. */
export interface ResumeCall extends CallOptions {
  runId: string;
  toolCallId: string | undefined;
  /** Repeated options, which must equal those at the start of the run. */
  repeated: Readonly<Record<string, unknown>>;
}

const startedWith = new WeakMap<object, CallOptions>();

/** Stores the options at the start of a run. The runs that resume it share its ports, which are the key. */
export const recordOptions = ({ options: { ports } }: Run, options: CallOptions): void => void startedWith.set(ports, options);

/** The options at the start of a run. */
export const startOptions = ({ options: { ports } }: Run): CallOptions | undefined => startedWith.get(ports);

/** Rejects a repeated option that differs from the one at the start of the run. Raises `agent/unsupported-option`. */
export const checkRepeated = (run: Run, repeated: ResumeCall['repeated']): void => {
  const started = startOptions(run) as Readonly<Record<string, unknown>> | undefined;
  const path = Object.keys(repeated).find((name) => !isDeepStrictEqual(repeated[name], started?.[name]));
  if (path)
    throw new InterlockError('agent/unsupported-option', { path, detail: 'a resumed run keeps the options of its start.' });
};

/** Parses the options of a call that resumes a run. Raises for unsupported and invalid options, as for any call. */
export const readResumeOptions = (given: object = {}, agentId?: string): ResumeCall => {
  const { toolCallId, ...named } = given as Record<string, unknown>;
  checkCallOptions(named, agentId);
  const isRepeated = (name: string): boolean => isDelegated(given) && repeatedToAgents.has(name);
  const options = Object.fromEntries(Object.entries(named).filter(([name, value]) => value !== undefined && !isRepeated(name)));
  const repeated: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (allowed.has(name)) continue;
    delete options[name];
    if (!changesNothing(name, value)) repeated[name] = value;
  }
  const { runId } = options;
  if (typeof runId !== 'string')
    throw new InterlockError('agent/invalid-option', { path: 'runId', detail: 'it must be a string.' });
  if (toolCallId !== undefined && typeof toolCallId !== 'string')
    throw new InterlockError('agent/invalid-option', { path: 'toolCallId', detail: 'it must be a string.' });
  return { ...options, runId, toolCallId, repeated };
};
