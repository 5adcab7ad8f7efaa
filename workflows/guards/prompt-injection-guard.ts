import type { Processor } from '@mastra/core/processors';
import { createPace, inTurn, paced } from '../../src/guard/in-steps.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import type { InjectionSignal } from '../injection/injection-signal.js';
import { scoring, type InjectionScore, inputSignals, toolResultSignals } from '../injection/score-injection.js';
import { readingsOf, textsOf, userTurns, madeUpTexts, fileTextsOf, currentToolResult } from '../messages/read-messages.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import {
  judgeWith,
  type Detection,
  traitsOf,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  judgeStrategies,
  guardForm,
} from './guard-options.js';
import { kind, listOf, numberFrom } from '../../src/option-kind.js';

export interface PromptInjectionGuardOptions extends GuardOptions {
  /** Default `'block'`. */
  strategy?: JudgeStrategy;
  /** Your own signals, searched in input and tool results in addition to the built-in ones. Default: none. */
  patterns?: readonly InjectionSignal[];
  /** The minimum score of an injection, 0 to 1. Default 0.7: one heavy signal, or two medium ones. */
  threshold?: number;
}

/** Metadata of the tripwire and of `onViolation`; never the text. */
export interface PromptInjectionMetadata {
  /** The certainty of the guard, 0 to 1. */
  score: number;
  /** The found signals, highest weight first, such as `instruction-override`. */
  signals: string[];
}

const aSignal = kind('{ name, weight, pattern }', (value) => {
  const { name, weight, pattern } = Object(value) as Partial<InjectionSignal>;
  return typeof name === 'string' && typeof weight === 'number' && pattern instanceof RegExp;
});
export const form = guardForm<PromptInjectionGuardOptions>(['prompt-injection', 'Prompt injection'], {
  strategy: judgeStrategies,
  patterns: listOf(aSignal),
  threshold: numberFrom(0, 1),
});

/**
 * A guard (id `prompt-injection`) against text that tries to take over the model: overridden instructions, pretended roles, requests
 * for the system prompt, jailbreak personas, hidden and encoded orders, and in tool results orders to the model.
 *
 * It reads every user turn with its text files, every string of a tool result, what memory recalls, and assistant turns and signals that
 * a client sends, because a client can forge its history. It matches phrases, not meaning: a text that quotes an attack is blocked, and a rephrased attack
 * passes. If that matters, combine it with a model-based guard.
 */
export const promptInjectionGuard = (
  options: PromptInjectionGuardOptions = {},
): GuardProcessor<'processInput' | 'processToolResult'> => {
  form.check(options);
  const { strategy = 'block', patterns = [], threshold = 0.7 } = options;
  const guard = form.open<PromptInjectionMetadata>(options, 'Finds prompt injection in input and tool results.');
  const judge = judgeWith<PromptInjectionMetadata>(guard, strategy);
  const signalsIn = { input: [...inputSignals, ...patterns], result: [...toolResultSignals, ...patterns] };
  type Context = Parameters<typeof judge>[1];
  const judgeTexts = (texts: readonly string[], signals: readonly InjectionSignal[], { place, args }: JudgedInput<Context>) =>
    whenReady(highestScore(texts, signals), (score) => judge(detectionOf(score, threshold, place), args));
  return Object.assign(guard, { traits: { ...traitsOf[strategy], judgesErrors: true } }, {
    processInput: (args) => {
      const turns = userTurns(args.messages).flatMap((turn) => [
        ...readingsOf(turn.flatMap(textsOf)),
        ...turn.flatMap(fileTextsOf),
      ]);
      return judgeTexts([...turns, ...madeUpTexts(args)], signalsIn.input, { place: 'input', args });
    },
    processToolResult: (args) => {
      const strings = leavesOf(currentToolResult(args)).filter((leaf) => typeof leaf === 'string');
      return judgeTexts(readingsOf(strings), signalsIn.result, { place: 'result of a tool', args });
    },
  } satisfies Partial<Processor<string, PromptInjectionMetadata>>);
};

interface JudgedInput<Context> {
  readonly place: string;
  readonly args: Context;
}

/**
 * The likelihood, from 0 to 1, that a text tries to take over the model. It uses the phrases of {@link promptInjectionGuard} for
 * tool results, which include those for input: a cheap check before a judge.
 *
 * @example
 * const screen = { score: injectionScore, pass: 0.2, block: 0.9 };
 * judgeGuard({ model, policies: { injection: { ...judgePolicies.injection, screen } } });
 */
export const injectionScore = async (text: string): Promise<number> =>
  (await highestScore(readingsOf([text]), toolResultSignals)).score;

/** The highest score among the texts. */
export const highestScore = (texts: readonly string[], signals: readonly InjectionSignal[]): Awaitable<InjectionScore> => {
  const pace = createPace();
  const scores = inTurn(texts, (text) => paced(scoring(text, signals), pace));
  return whenReady(scores, (all) => all.reduce((a, b) => (b.score > a.score ? b : a), { score: 0, signals: [] }));
};

const detectionOf = (
  { score, signals }: InjectionScore,
  threshold: number,
  place: string,
): Detection<PromptInjectionMetadata> | undefined =>
  score < threshold
    ? undefined
    : { reason: `The ${place} tries to change what the assistant does.`, metadata: { score, signals } };
