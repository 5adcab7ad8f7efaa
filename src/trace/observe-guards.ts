import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import {
  attempted,
  observers,
  type GuardedRun,
  type GuardedRunFacts,
  type GuardReports,
  type GuardsNews,
  type GuardsObserver,
} from './observers.js';
import { parentCall } from './parent-call.js';
import { delayedWords } from './delayed-words.js';
import { createRecorder } from './recorder.js';

/** Observes the guards of every run in this process outside of our loop. Returns a function that stops the observation. */
export const observeGuards = (observer: GuardsObserver): (() => void) => {
  const all = observers();
  all.guardsObservers.add(observer);
  all.openGuardReports ??= createGuardReports;
  return () => {
    all.guardsObservers.delete(observer);
    if (all.guardsObservers.size === 0) delete all.openGuardReports;
  };
};

/** The fields of a payload that locate it in its run. */
interface PayloadLocation {
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
  const reported = new Set<string>();
  const publish = (news: GuardsNews): void => {
    for (const observer of observers().guardsObservers) attempted(() => observer(run, news));
  };
  const recorder = createRecorder({
    runId: run.runId,
    position: () => ({ stepNumber, attempt: 1 }), // the host does not report the attempt
    wallClock: Date.now,
    onEvent: (event) => publish({ kind: 'event', event }),
  });
  const words = delayedWords(recorder.reportGuard);
  return {
    reports: { ...recorder, reportGuard: words.report },
    ask: (data: PayloadLocation) => {
      const { phase, part } = data;
      const { cadence, lane } = phaseRow<Phase>(phase as Phase); // payloads name phases
      if (cadence !== 'chunk' || part?.type === 'finish') words.settle();
      if (cadence !== 'chunk' || isEnd.test(part?.type ?? '')) recorder.flush();
      stepNumber = data.stepNumber ?? stepNumber;
      const key = `${phase} ${stepNumber}`;
      if (reported.has(key)) return; // each step of a workflow calls guards with the same payload, and a stream for each chunk
      reported.add(key);
      publish({ kind: 'asked', phase, lane, stepNumber, userText: userText(data) });
    },
  };
};

/** The chunks that end the stream of a step. The sums of its guards are reported before them. */
const isEnd = /^(?:step-)?finish$/;

const userText = ({ messages }: PayloadLocation): string | undefined =>
  messages
    ?.findLast(({ role }) => role === 'user')
    ?.content?.parts?.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
