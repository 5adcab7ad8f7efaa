import type { RunEvent } from '../../schemas/index.js';
import type { Phase } from '../phase/row.js';
import type { Reports } from '../phase/scope.js';
import { phaseRow } from '../phase/table.js';
import { diagnosticsChannel } from './node-builtins.js';
import { parentCall, type ParentCall } from './parent-call.js';
import { createRecorder } from './recorder.js';

/** A run whose loop is not ours: what is known of it is what its guards report. */
export interface GuardedRunFacts {
  readonly runId: string;
  readonly agentId?: string;
  /** What calls the guards: a stock agent of Mastra's, its workflow engine, or the AI SDK. */
  readonly host: 'mastra' | 'workflow' | 'ai-sdk';
  readonly pipelineId: string;
  /** The call of a tool that the run is a part of. */
  readonly parent?: ParentCall;
}

/** What is observed of such a run. */
export type GuardsNews =
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** The guards of a phase are about to be asked; told once for each step of the run. `said` is what the caller said last. */
  | {
      readonly kind: 'asked';
      readonly phase: string;
      readonly lane: string;
      readonly stepNumber: number;
      readonly said?: string;
    };

export type GuardsObserver = (run: GuardedRunFacts, news: GuardsNews) => void;

const guardedRuns = diagnosticsChannel?.channel('mastra-interlock:guards');

interface Published {
  readonly run: GuardedRunFacts;
  readonly news: GuardsNews;
}

/** Observes the guards of every run in this process whose loop is not ours. What is given back stops that. */
export const observeGuards = (observer: GuardsObserver): (() => void) => {
  const onNews = (published: unknown): void => {
    const { run, news } = published as Published; // the channel is ours
    observer(run, news);
  };
  guardedRuns?.subscribe(onNews);
  return () => {
    guardedRuns?.unsubscribe(onNews);
  };
};

/** What the guards of one run report to. */
export interface GuardReports {
  readonly reports: Reports;
  /** The guards of a payload are about to be asked. */
  ask(data: { readonly phase: string }): void;
}

/** By what a host keeps through a run. */
const runs = new WeakMap<object, GuardReports>();

/**
 * What the guards of a run report to; nothing where nothing observes the process.
 *
 * @param key an object that stays the same through the run
 */
export const guardReports = (key: object, factsOf: () => GuardedRunFacts): GuardReports | undefined => {
  if (!guardedRuns?.hasSubscribers) return undefined;
  const known = runs.get(key);
  if (known) return known;
  const made = createGuardReports(factsOf());
  runs.set(key, made);
  return made;
};

/** A payload, as far as it says where its run is. */
interface AskedData {
  readonly phase: string;
  readonly stepNumber?: number;
  readonly part?: { readonly type?: string };
  readonly messages?: readonly {
    readonly role: string;
    readonly content?: { readonly parts?: readonly { readonly text?: unknown }[] };
  }[];
}

const createGuardReports = (facts: GuardedRunFacts): GuardReports => {
  const run: GuardedRunFacts = { ...facts, parent: parentCall() };
  let stepNumber = 0;
  const asked = new Set<string>();
  const publish = (news: GuardsNews): void => guardedRuns?.publish({ run, news } satisfies Published);
  const recorder = createRecorder({
    runId: run.runId,
    position: () => ({ stepNumber, attempt: 1 }), // which attempt it is, the host does not say
    wallClock: Date.now,
    onEvent: (event) => publish({ kind: 'event', event }),
  });
  return {
    reports: recorder,
    ask: (data: AskedData) => {
      const { phase, part } = data;
      const { cadence, lane } = phaseRow<Phase>(phase as Phase); // payloads name phases
      if (cadence !== 'chunk' || isEnd.test(part?.type ?? '')) recorder.flush();
      stepNumber = data.stepNumber ?? stepNumber;
      const key = `${phase} ${stepNumber}`;
      if (asked.has(key)) return; // each step of a workflow asks about the same payload, and a stream about each chunk
      asked.add(key);
      publish({ kind: 'asked', phase, lane, stepNumber, said: saidIn(data) });
    },
  };
};

/** The chunks that end the stream of a step; what guards did to it is summed up before them. */
const isEnd = /^(?:step-)?finish$/;

const saidIn = ({ messages }: AskedData): string | undefined =>
  messages
    ?.findLast(({ role }) => role === 'user')
    ?.content?.parts?.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
