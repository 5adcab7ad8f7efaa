import { InterlockError } from '../../src/errors.js';
import type { WindowedProcessor } from '../../src/guard/pattern.js';
import { instanceWith, listOf, needed, numberFrom, oneOf, recordOf } from '../../src/option-kind.js';
import type { JudgePlace } from '../judge/policies.js';
import {
  judgeStrategies,
  guardForm,
  traitsOf,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  block,
  report,
} from './guard-options.js';
import { placeHooks, placeLabels } from './place-hooks.js';

/** Scores texts by label: `localClassifier` of `mastra-interlock/classifier`, or your own around a service. */
export interface TextClassifier {
  /**
   * Returns, for each text in order, the score of each label from 0 to 1. It must judge a long text whole. The guard fails
   * if it throws, or if a result lacks a label of the guard.
   */
  classify(
    texts: readonly string[],
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly Readonly<Record<string, number>>[]>;
}

export interface ClassifierGuardOptions extends GuardOptions {
  readonly classifier: TextClassifier;
  /** The minimum scores of violations, 0 to 1, by the model's label: `{ INJECTION: 0.8 }`. */
  readonly labels: Readonly<Record<string, number>>;
  /** The parts of a run that are classified. Default `['input', 'result']`. */
  readonly places?: readonly JudgePlace[];
  /** The amount of an answer that is classified at once, and buffered until then. Default `'part'`. */
  readonly window?: 'sentence' | 'part';
  /** Default `'block'`. */
  readonly strategy?: JudgeStrategy;
}

/** The data for the tripwire and `onViolation`; never the text. */
export interface ClassifierMetadata {
  /** The violated labels, with their scores. */
  readonly labels: Readonly<Record<string, number>>;
}

const form = guardForm<ClassifierGuardOptions>(['classifier', 'Classifier'], {
  classifier: needed(instanceWith('classify', 'an object with a method `classify`')),
  labels: needed(recordOf(numberFrom(0, 1))),
  places: listOf(oneOf('input', 'answer', 'call', 'result')),
  window: oneOf('sentence', 'part'),
  strategy: judgeStrategies,
});

/**
 * A guard (id `classifier`) that stops texts by the labels of a classifier: the user's newest turn and tool results, and answers
 * and tool calls if `places` names them. It fails closed: a classifier that throws or leaves out a label raises
 * `guard/unavailable`. Wrap it for a deadline or a cache: `guard(classifierGuard(…), { deadlineMs, cache })`.
 *
 * A Mastra `Agent` judges an answer after its step, when its text has already left.
 *
 * @example
 * classifierGuard({ classifier, labels: { INJECTION: 0.8 } });
 */
export const classifierGuard = (
  options: ClassifierGuardOptions,
): GuardProcessor<'processInput' | 'processOutputStream' | 'processOutputStep' | 'processToolResult'> &
  Pick<WindowedProcessor, 'window'> => {
  form.check(options);
  const { classifier, labels, places = ['input', 'result'], window = 'part', strategy = 'block' } = options;
  if (Object.keys(labels).length === 0)
    throw new InterlockError('guard/invalid-option', { path: 'classifier.labels', detail: 'it must name at least one label.' });
  const guard = form.open<ClassifierMetadata>(options, `Classifies texts as ${Object.keys(labels).join(', ')}.`);
  const hooks = placeHooks<ClassifierMetadata>(async (place, text, args) => {
    if (!places.includes(place) || text.trim() === '') return;
    args.abortSignal?.throwIfAborted();
    const [scores] = await classifier.classify([text], { signal: args.abortSignal });
    const violated = violatedLabels(labels, scores);
    const names = Object.keys(violated);
    if (names.length === 0) return;
    const detection = {
      reason: `The ${placeLabels[place]} was classified as ${names.join(', ')}.`,
      metadata: { labels: violated },
    };
    await (strategy === 'block' ? block(detection, args) : report(guard, detection));
  });
  return Object.assign(guard, { traits: { ...traitsOf[strategy], judgesErrors: true }, window }, hooks);
};

const violatedLabels = (
  labels: Readonly<Record<string, number>>,
  scores: Readonly<Record<string, number>> | undefined,
): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const [label, threshold] of Object.entries(labels)) {
    const score: unknown = scores?.[label];
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) throw unavailable(label, scores);
    if (score >= threshold) found[label] = score;
  }
  return found;
};

const unavailable = (label: string, scores: Readonly<Record<string, number>> | undefined): InterlockError =>
  new InterlockError('guard/unavailable', {
    path: 'classifier',
    detail: `the classifier gave no score from 0 to 1 for "${label}"; its labels are ${Object.keys(scores ?? {}).join(', ') || 'none'}.`,
  });
