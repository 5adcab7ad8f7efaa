import type { Decider, Decision, LoopSnapshot } from './decide.js';
import type { LoopEvent, LoopLimits } from './machine.js';

/** Places that are remembered at most; a run of one step passes seven. */
const defaultLimit = 10_000;

/**
 * A decider that asks once about each place and event, and knows the answer from then on. What the machine says depends on
 * nothing but the state, its counters and the event, so nobody can tell the difference but by the clock.
 *
 * @param limit places that are remembered; with one more all are forgotten, and asked about anew. Default: 10,000
 */
export const rememberDecisions = (decider: Decider, limit = defaultLimit): Decider => {
  /** Each place once, so that runs which come to it by different ways share what is known of it. */
  const places = new Map<string, LoopSnapshot>();
  const begun = new Map<string, Decision>();
  const known = new WeakMap<LoopSnapshot, Map<string, Decision>>();
  const settle = (decision: Decision): Decision => {
    const { value, context } = decision.snapshot;
    const key = JSON.stringify([value, context]);
    const snapshot = places.get(key) ?? decision.snapshot;
    if (places.size >= limit) {
      places.clear();
      begun.clear();
    }
    places.set(key, snapshot);
    return { ...decision, snapshot };
  };
  return {
    begin: (limits) => lookUp(begun, keyOfLimits(limits), () => settle(decider.begin(limits))),
    next: (snapshot, event) => {
      let answers = known.get(snapshot);
      if (!answers) known.set(snapshot, (answers = new Map()));
      return lookUp(answers, keyOfEvent(event), () => settle(decider.next(snapshot, event)));
    },
  };
};

const lookUp = (answers: Map<string, Decision>, key: string, ask: () => Decision): Decision => {
  let answer = answers.get(key);
  if (!answer) answers.set(key, (answer = ask()));
  return answer;
};

const keyOfLimits = ({ maxSteps, maxRetries, maxRecoveries, models }: LoopLimits): string =>
  `${maxSteps} ${maxRetries} ${maxRecoveries} ${models}`;

/** Outcomes are a few facts, so that there are few of them. */
const keyOfEvent = (event: LoopEvent): string => ('output' in event ? event.type + JSON.stringify(event.output) : event.type);
