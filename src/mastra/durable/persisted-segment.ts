import type { MessageListInput } from '@mastra/core/agent/message-list';
import { isInterlockError } from '../../errors.js';
import type { PersistedStep } from '../../durable/journal.js';
import type { Answered } from '../../loop/create-run.js';
import type { RunMode } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { decodeAt, encode } from '../../loop/state/encode.js';
import { toPersistedState, type PersistedState } from '../../loop/state/persisted-state.js';
import type { CallOptions } from '../call-options.js';
import { spanOf, type SpanPlace } from '../tracing/agent-trace.js';
import type { RunDefinition } from './run-definition.js';
import { isApplied, namesOf } from '../options/option-table.js';

/** A call as plain data, from which another process can continue its run. */
export interface PersistedCall {
  readonly runId: string;
  readonly mode: RunMode;
  readonly messages: MessageListInput;
  /** The caller's options. Defaults come from the agent that runs the call. */
  readonly options: CallOptions;
  /** A hash of the input of the run: another call under its id is rejected. Undefined for a sub-agent's call. */
  readonly messagesHash?: string;
  /** The owner of the run: the resource of its memory. */
  readonly resourceId?: string;
  /** The priority among waiting runs. Default: 0. */
  readonly priority?: number;
  /** Epoch milliseconds at which the run ends as canceled. Default: no limit. */
  readonly deadlineAt?: number;
  /** The definition at the start of its first segment. Undefined in the call of that segment. */
  readonly definition?: RunDefinition;
  /** The context of the request. Undefined for a sub-agent's call, which uses its supervisor's. */
  readonly context?: readonly (readonly [string, unknown])[];
}

/** The input of a run segment: a call, and if it resumes, the state of the earlier segment and the answer to it. */
export interface PersistedSegment {
  readonly call: PersistedCall;
  /** Steps of another run from which this one continues. */
  readonly forked?: readonly PersistedStep[];
  readonly resumes?: {
    readonly state: PersistedState;
    readonly span?: SpanPlace;
    /** Undefined if the run is to be canceled. */
    readonly answered?: Answered;
  };
}

/** The final state of a run segment. */
export interface PersistedEnd {
  readonly call: PersistedCall;
  readonly state: PersistedState;
  /** The span of the segment, which the next one continues. Undefined without a trace. */
  readonly span?: SpanPlace;
  readonly error?: undefined;
}

/** The output of a run segment: its final state, or the error that prevented the start. */
export type SegmentEnd = PersistedEnd | { readonly error: unknown; readonly call?: undefined; readonly state?: undefined };

/**
 * A value that an engine stores as text, written and read by one type. Its writer raises `durable/unkept-value` for what is not plain data,
 * such as a function; its reader gets the id of the run segment, for `durable/damaged`.
 */
export const stored = <T>(name: string) => ({
  write: (value: T): string => encode(value),
  read: (text: string, id: string): T => decodeAt(text, `${id} ${name}`) as T, // its own text
});

export const storedSegment = stored<PersistedSegment>('input');
export const storedEnd = stored<SegmentEnd>('output');

const spanIn = (run: Run): Pick<PersistedEnd, 'span'> => {
  const { id, traceId } = spanOf(run) ?? {};
  return id && traceId ? { span: { id, traceId } } : {};
};

/** The output of a run. If its state is not plain data, the run ends as failed. */
export const endOf = (run: Run, { call }: PersistedSegment): string => {
  const persisted = { ...call, messages: [] }; // they are in the state
  try {
    return storedEnd.write({ call: persisted, state: toPersistedState(run), ...spanIn(run) });
  } catch (error) {
    if (!isInterlockError(error, 'durable/unkept-value')) throw error;
    return storedEnd.write({ error: run.state.error ?? error });
  }
};

/** Options that stay in the process that waits for the run; the others are persisted with the run. */
const localNames = new Set([
  ...namesOf(({ isLocal, call }) => isLocal === true || (call !== undefined && !isApplied(call))),
  'stopForReader' satisfies keyof CallOptions,
]);

/** Splits the options of a call into those of the run, which are persisted, and local ones of its caller. */
export const splitOptions = (options: CallOptions): { readonly persisted: CallOptions; readonly here: CallOptions } => {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  const isHere = ([name]: [string, unknown]): boolean => localNames.has(name);
  return {
    persisted: Object.fromEntries(entries.filter((entry) => !isHere(entry))),
    here: Object.fromEntries(entries.filter(isHere)),
  };
};

/** A segment of a run; its id is the engine's. */
export interface SegmentRef {
  readonly runId: string;
  readonly number: number;
  readonly id: string;
}

/** The id of a run segment for its engine. */
export const segmentId = (runId: string, segment: number): string => `${segment}:${runId}`;
export const runIdOf = (id: string): string => id.slice(id.indexOf(':') + 1);
export const segmentNumber = (id: string): number => Number.parseInt(id, 10);
