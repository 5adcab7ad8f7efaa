import type { MessageListInput } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import { isInterlockError } from '../../errors.js';
import type { KeptStep } from '../../durable/journal.js';
import type { Answered } from '../../loop/resume-run.js';
import type { RunMode } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { decodeAt, encode } from '../../loop/state/encode.js';
import { toPersistedState, type PersistedState } from '../../loop/state/persisted-state.js';
import type { CallOptions } from '../call-options.js';
import type { RunDefinition } from './run-definition.js';
import { namesWhere } from '../options/option-table.js';

/** A call as plain data: what another process needs to continue its run. */
export interface PersistedCall {
  readonly runId: string;
  readonly mode: RunMode;
  readonly messages: MessageListInput;
  /** As the caller gave them; defaults are those of the agent that runs them. */
  readonly options: CallOptions;
  /** A hash of the input of the run: another call under its id is rejected. Undefined for a sub-agent's call. */
  readonly asked?: string;
  /** Whose run it is: the resource of its memory. */
  readonly resourceId?: string;
  /** Its place among the runs that wait. Default 0. */
  readonly priority?: number;
  /** Epoch milliseconds at which the run ends as canceled. Absent where it may take as long as it takes. */
  readonly deadlineAt?: number;
  /** What its first segment began with; absent in the call of that one. */
  readonly definition?: RunDefinition;
  /** The context of the request. Absent for a sub-agent's call: it has its supervisor's. */
  readonly context?: readonly (readonly [string, unknown])[];
}

/** What a segment of a run begins with: a call, or with it what an earlier run segment left and what was said to that. */
export interface PersistedSegment {
  readonly call: PersistedCall;
  /** What the steps of another run gave, which this one goes on from. */
  readonly forked?: readonly KeptStep[];
  readonly resumes?: {
    readonly state: PersistedState;
    /** Absent where the run is to be canceled. */
    readonly answered?: Answered;
  };
}

/** What a run segment ends with: the state that it left, or why the run never began. */
export type SegmentEnd =
  | { readonly call: PersistedCall; readonly state: PersistedState; readonly error?: undefined }
  | { readonly error: unknown; readonly call?: undefined; readonly state?: undefined };

/** Raises `durable/unkept-value` for an option that is no data, such as a function. */
export const writeSegment = (segment: PersistedSegment): string => encode(segment);

/** @param id of the run segment, for `durable/damaged` */
export const readSegment = (text: string, id: string): PersistedSegment => decodeAt(text, `${id} input`) as PersistedSegment; // the text of a run segment
export const writeEnd = (end: SegmentEnd): string => encode(end);

/** What is left of a run. Where something in it is no data, the run ends as failed, with what was kept of it before. */
export const endOf = (run: Run, { call }: PersistedSegment): string => {
  const persisted = { ...call, messages: [] }; // they stand in the state
  try {
    return writeEnd({ call: persisted, state: toPersistedState(run) });
  } catch (error) {
    if (!isInterlockError(error, 'durable/unkept-value')) throw error;
    run.error ??= error;
    return writeEnd({ error: run.error });
  }
};

/** @param id of the run segment, for `durable/damaged` */
export const readEnd = (text: string, id: string): SegmentEnd => decodeAt(text, `${id} output`) as SegmentEnd; // the text of an end

/** Options that stay in the process that waits for the run; the rest is kept with the run. */
const localNames = new Set([...namesWhere(({ isLocal }) => isLocal === true), 'stopForReader' satisfies keyof CallOptions]);

/** The options of a call in two: what the run is called with, and what its caller wants of it here. */
export const splitOptions = (given: CallOptions): { readonly kept: CallOptions; readonly here: CallOptions } => {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const isHere = ([name]: [string, unknown]): boolean => localNames.has(name);
  return {
    kept: Object.fromEntries(entries.filter((entry) => !isHere(entry))),
    here: Object.fromEntries(entries.filter(isHere)),
  };
};

/** The content of a request context, without the entries of an earlier memory call. */
export const persistContext = (context: RequestContext | undefined): NonNullable<PersistedCall['context']> =>
  [...(context?.entries() ?? [])].filter(([name]) => name !== 'MastraMemory');

export const readContext = (persisted: NonNullable<PersistedCall['context']>): RequestContext => {
  const context = new RequestContext();
  for (const [name, value] of persisted) context.set(name, value);
  return context;
};

/** The id under which an engine knows a segment of a run. */
export const segmentId = (runId: string, segment: number): string => `${segment}:${runId}`;
export const runIdOf = (id: string): string => id.slice(id.indexOf(':') + 1);
export const segmentNumber = (id: string): number => Number.parseInt(id, 10);
