import type { RunEvent } from '../../schemas/index.js';
import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import { attempted, observers, type GuardedRunFacts, type GuardReports } from './observers.js';
import { parentCall, type ParentCall } from './parent-call.js';
import { createRecorder } from './recorder.js';

/** A run whose loop is not ours, as it is observed. */
export interface GuardedRun extends GuardedRunFacts {
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

export type GuardsObserver = (run: GuardedRun, news: GuardsNews) => void;

const observing = new Set<GuardsObserver>();

/** Observes the guards of every run in this process whose loop is not ours. What is given back stops that. */
export const observeGuards = (observer: GuardsObserver): (() => void) => {
  const all = observers();
  observing.add(observer);
  all.openGuardReports ??= createGuardReports;
  return () => {
    observing.delete(observer);
    if (observing.size === 0) delete all.openGuardReports;
  };
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
  const run: GuardedRun = { ...facts, parent: parentCall() };
  let stepNumber = 0;
  const asked = new Set<string>();
  const publish = (news: GuardsNews): void => {
    for (const observer of observing) attempted(() => observer(run, news));
  };
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
