import { InterlockError } from '../../src/errors.js';
import type { WindowedProcessor } from '../../src/guard/pattern.js';
import { turn } from '../../src/guard/in-steps.js';
import {
  aBoolean,
  aFunction,
  aName,
  fieldsOf,
  instanceWith,
  listOf,
  needed,
  numberFrom,
  oneOf,
  recordOf,
  timerMsFrom,
  wholeNumberFrom,
} from '../../src/option-kind.js';
import { callJudge, type JudgeLanguageModel, type JudgeMaterial, type JudgeUsage } from '../judge/call-judge.js';
import type { JudgePlace, JudgePolicy, JudgeScreen } from '../judge/policies.js';
import { callsIn } from '../tool-policy/run-calls.js';
import { isUserSide, newestUserTurn, textOf } from '../messages/read-messages.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import { guardForm, type KindsOf, traitsOf, type GuardOptions, type GuardProcessor, block, report } from './guard-options.js';
import { placeHooks, placeLabels, type PlaceContext } from './place-hooks.js';

/** One call of a judge, and its cost. */
export interface Judgement {
  readonly place: JudgePlace;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly usage: JudgeUsage;
}

export interface JudgeGuardOptions extends GuardOptions {
  /** The judge: a language model of the AI SDK, version 2 or later. */
  readonly model: JudgeLanguageModel;
  /** The policies, by name. Policies for the same part of a run share one call. See `judgePolicies`. */
  readonly policies: Readonly<Record<string, JudgePolicy>>;
  /** The amount of an answer that is judged at once, and buffered until then. Default `'part'`. */
  readonly window?: 'sentence' | 'part';
  /**
   * Judges answers, tool calls and tool results of each n-th step of a run only, such as for drift in long runs; the input always. Other
   * steps are not judged. A judged step is emitted once it is complete. Default 1, every step.
   */
  readonly every?: number;
  /** The time after which a call of the judge fails with `guard/deadline`, in milliseconds. Default 15,000. */
  readonly deadlineMs?: number;
  /** Called for every call of the judge, with its cost. */
  readonly onJudgement?: (judgement: Judgement) => void;
}

/** Metadata of the tripwire and of `onViolation`; never the evidence. */
export interface JudgeMetadata {
  readonly policies: readonly string[];
}

const policyKind = fieldsOf({
  rule: needed(aName),
  places: needed(listOf(oneOf('input', 'answer', 'call', 'result'))),
  evidence: aBoolean,
  threshold: numberFrom(0, 1),
  strategy: oneOf('block', 'warn'),
  sources: aBoolean,
  screen: fieldsOf({ score: needed(aFunction), pass: numberFrom(0, 1), block: numberFrom(0, 1) } satisfies KindsOf<JudgeScreen>),
} satisfies KindsOf<JudgePolicy>);
const form = guardForm<JudgeGuardOptions>(['judge', 'Judge'], {
  model: needed(instanceWith('doGenerate', 'a language model of the AI SDK')),
  policies: needed(recordOf(policyKind)),
  window: oneOf('sentence', 'part'),
  every: wholeNumberFrom(1),
  deadlineMs: timerMsFrom(1),
  onJudgement: aFunction,
});

/** The maximum length of text per call; the parts of a longer text overlap. */
const maxJudgedChars = 12_000;
const overlapChars = 600;
/** The maximum length of the newest turns and sources in a call. */
const maxResultChars = 16_000;

/**
 * A guard (id `judge`) that asks a language model whether texts violate policies: the user's newest turn, answers, tool calls and
 * tool results. The judge gets material as data, and its evidence is verified. A judge that fails, or twice gives an unusable
 * answer, raises `guard/unavailable`. Wrap it for a cache or a breaker: `guard(judgeGuard(…), { cache, breaker })`.
 * Concurrent equal questions share one call.
 *
 * Mastra's own agent judges an answer after its step, when its text has already left.
 *
 * @example
 * judgeGuard({
 *   model,
 *   policies: {
 *     injection: judgePolicies.injection,
 *     refunds: { rule: 'Does it promise a refund?', places: ['answer'] },
 *   },
 * });
 */
export const judgeGuard = (
  options: JudgeGuardOptions,
): GuardProcessor<'processInput' | 'processOutputStream' | 'processOutputStep' | 'processToolResult'> &
  Pick<WindowedProcessor, 'window'> => {
  form.check(options);
  checkScreens(options.policies);
  const guard = form.open<JudgeMetadata>(options, `Checks policies with a model: ${Object.keys(options.policies).join(', ')}.`);
  const scorePolicies = createJudgeCalls(options);
  const judge = async (place: JudgePlace, judged: string, args: PlaceContext<JudgeMetadata>): Promise<void> => {
    const policies = Object.entries(options.policies).filter(([, { places }]) => places.includes(place));
    if (policies.length === 0 || judged.trim() === '') return;
    const known = Object.fromEntries(
      await Promise.all(policies.map(async ([name, { screen }]) => [name, await screened(judged, screen)])),
    );
    const open = policies.filter(([name]) => known[name] === undefined);
    const scores = open.length > 0 ? await scorePolicies(place, Object.fromEntries(open), { judged, args }) : {};
    const violated = policies.filter(([name, { threshold = 0.7 }]) => (known[name] ?? scores[name] ?? 1) >= threshold);
    for (const strategy of ['warn', 'block'] as const) {
      const names = violated.filter(([, policy]) => (policy.strategy ?? 'block') === strategy).map(([name]) => name);
      const detection = { reason: `The ${placeLabels[place]} violates ${names.join(', ')}.`, metadata: { policies: names } };
      if (names.length > 0) await (strategy === 'block' ? block(detection, args) : report(guard, detection));
    }
  };
  const { every = 1 } = options;
  const window = every > 1 ? ('delta' as const) : (options.window ?? 'part');
  const traits = { ...traitsOf.block, judgesErrors: true, checksStream: every === 1 };
  return Object.assign(guard, { traits, window }, placeHooks(judge, every));
};

/** Rejects screens by which a text would pass and violate at once. */
const checkScreens = (policies: Readonly<Record<string, JudgePolicy>>): void => {
  for (const [name, { screen: { pass = 0, block: from = 1 } = {} }] of Object.entries(policies)) {
    if (pass > from)
      throw new InterlockError('guard/invalid-option', {
        path: `judge.policies.${name}.screen.pass`,
        detail: `it is ${pass}, and block is ${from}: pass must not be higher.`,
      });
  }
};

/** The decision of a screen about a text; undefined if the judge decides. */
const screened = async (text: string, screen: JudgeScreen | undefined): Promise<0 | 1 | undefined> => {
  if (!screen) return undefined;
  const { score, pass = 0, block: from = Infinity } = screen;
  const found = await score(text);
  if (found >= from) return 1;
  return found < pass ? 0 : undefined;
};

interface JudgedInput {
  readonly judged: string;
  readonly args: PlaceContext<JudgeMetadata>;
}

type ScorePolicies = (
  place: JudgePlace,
  policies: Readonly<Record<string, JudgePolicy>>,
  input: JudgedInput,
) => Promise<Readonly<Record<string, number>>>;

/** Asks about a text part by part. Concurrent equal questions share one call, unless their run can be aborted. */
const createJudgeCalls = ({ model, onJudgement, deadlineMs }: JudgeGuardOptions): ScorePolicies => {
  const underWay = new Map<string, ReturnType<typeof callJudge>>();
  const shared = async (policies: Readonly<Record<string, JudgePolicy>>, material: JudgeMaterial) => {
    const key = JSON.stringify([Object.keys(policies), material]);
    const pending = underWay.get(key) ?? callJudge(model, policies, { material, deadlineMs }).finally(() => underWay.delete(key));
    const isFirst = !underWay.has(key);
    underWay.set(key, pending);
    return { ...(await pending), isFirst };
  };
  return async (place, policies, { judged, args }) => {
    const highest: Record<string, number> = {};
    const material = materialFor(policies, args, place);
    for (const [at, part] of partsOf(judged).entries()) {
      if (at > 0) await turn();
      args.abortSignal?.throwIfAborted();
      const { probabilities, usage, isFirst } = await shared(policies, { ...material, judged: part });
      if (isFirst) onJudgement?.({ place, probabilities, usage });
      for (const [name, probability] of Object.entries(probabilities)) highest[name] = Math.max(highest[name] ?? 0, probability);
    }
    return highest;
  };
};

const partsOf = (text: string): string[] => {
  const parts: string[] = [];
  for (let at = 0; at === 0 || at + overlapChars < text.length; at += maxJudgedChars - overlapChars)
    parts.push(text.slice(at, at + maxJudgedChars));
  return parts;
};

const materialFor = (
  policies: Readonly<Record<string, JudgePolicy>>,
  args: PlaceContext<JudgeMetadata>,
  place: JudgePlace,
): Omit<JudgeMaterial, 'judged'> => {
  const messages = args.messages ?? args.messageList?.get.all.db() ?? [];
  const judged = new Set(place === 'input' ? newestUserTurn(messages) : []);
  const turns = messages
    .filter((message) => isUserSide(message) && !judged.has(message))
    .slice(-8)
    .map((message) => ({ role: 'user', text: textOf(message).slice(-maxResultChars) }));
  const wantsSources = Object.values(policies).some(({ sources = false }) => sources);
  const sources = wantsSources
    ? callsIn(messages)
        .slice(-8)
        .map(({ result }) => leavesOf(result).join('\n').slice(0, maxResultChars))
    : [];
  return { turns, sources };
};
