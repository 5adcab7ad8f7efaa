import type { LanguageModel, PrepareStepFunction, ToolSet, PrepareStepResult, UserModelMessage, ModelMessage } from 'ai';
import { definedFields, isSame, copyPlain, computed } from '../phase/plain-data.js';
import { answersAmong, answersIn, isOfAssistant, lastAnswers } from './conversation.js';
import { guardStep, throwsOnWrite } from './guard-step.js';
import { judgeInput } from './judge.js';
import { checkGuardOptions, type GuardOptions } from './guard-options.js';
import { aBoolean, anObject, functionOf, numberFrom } from '../option-kind.js';
import { start, runsOf } from './adapters.js';
import { type Guards, type Run } from './run.js';
import type { RecordedStep } from './run-state.js';
import {
  mergeProviderOptions,
  type StepFields,
  baseOf,
  type CallSettings,
  type StepInput,
  splitSystem,
  systemOf,
} from './step.js';
import { withGuards } from './with-guards.js';
import { InterlockError } from '../errors.js';
import { createReadOnlyViews } from './read-only.js';

/** Any context, as the AI SDK types it. */
export type Context = Record<string, unknown>;

export interface PrepareStepOptions<TOOLS extends ToolSet = ToolSet, CONTEXT extends Context = Context> extends GuardOptions {
  /**
   * The application's own `prepareStep`; it runs after the guards, and its results override theirs. Its arguments are read-only.
   * The messages, system, instructions and `experimental_context` that it returns apply to this step only.
   */
  prepareStep?: StepAuthor<TOOLS, CONTEXT>;
  /** The arguments of the call, for hooks. */
  settings?: CallSettings;
  /** Time budget for preparing a step, in milliseconds; a `prepare-step-slow` event reports a longer time. Default 200. */
  budgetMs?: number;
  /**
   * Whether a write to a read-only value raises an error that names the hook and the path. If false, the write is ignored.
   * Default: true, except in production.
   */
  freeze?: boolean;
}

/** The options for preparing steps that `guardedToolLoop` has, too. */
export const stepOptionKinds = { budgetMs: numberFrom(0), freeze: aBoolean };

type StepArgs<TOOLS extends ToolSet = ToolSet, CONTEXT extends Context = Context> = Parameters<
  PrepareStepFunction<TOOLS, CONTEXT>
>[0];
type Result = Record<string, unknown>;

/**
 * A pipeline's `processInputStep` hooks, and its `processInput` hooks before the first step, as `prepareStep` of the AI SDK. Hooks work
 * on a list of their own: their changes do not reach the conversation, and apply to this step only. Returns undefined if a step is
 * unchanged.
 *
 * Raises `ai-sdk/hook-not-called`, `ai-sdk/invalid-option` and `pipeline/…` here; a step rejects with a TripwireError or a
 * GuardUnavailableError, `ai-sdk/unsupported-field` for a change that a step cannot make, and `ai-sdk/frozen-snapshot`.
 *
 * @example
 * await generateText({ model, tools, prepareStep: toPrepareStep(contextGuards), stopWhen: isStepCount(5), prompt });
 */
export const toPrepareStep = <TOOLS extends ToolSet = ToolSet, CONTEXT extends Context = Context>(
  guards: Guards,
  options: PrepareStepOptions<TOOLS, CONTEXT> = {},
): PrepareStepFunction<TOOLS, CONTEXT> => {
  checkGuardOptions(options, { prepareStep: functionOf(), settings: anObject, ...stepOptionKinds });
  const { prepareStep: _own, settings: _settings, budgetMs: _budget, freeze = throwsOnWrite(), ...guardOptions } = options;
  const nextRun = runsOf(guards, 'toPrepareStep', guardOptions);
  const runs = new WeakMap<object, Run>();
  return async (args) => {
    const run = computed(runs, args.initialMessages, nextRun); // the same array in every step of a run
    const result = await timed(run, args, { ...options, freeze } as PrepareStepOptions); // the types of the tools are the caller's
    return result; // fields of that name, see fieldsOf
  };
};

const timed = async (run: Run, args: StepArgs, options: PrepareStepOptions): Promise<Result | undefined> => {
  const { budgetMs = 200 } = options;
  const startedAt = run.scope.now();
  try {
    return await prepare(run, args, options);
  } finally {
    const durationMs = run.scope.now() - startedAt;
    if (durationMs > budgetMs) run.emit({ type: 'prepare-step-slow', stepNumber: args.stepNumber, durationMs, budgetMs });
  }
};

const prepare = async (run: Run, args: StepArgs, options: PrepareStepOptions): Promise<Result | undefined> => {
  const { freeze: isFrozen = true } = options;
  await start(run);
  run.state.trace?.closeStep();
  run.change({ stepNumber: args.stepNumber, steps: args.steps as readonly RecordedStep[] }); // parts have fields of any name
  await run.state.trace?.begin([...systemOf(args.instructions), ...args.messages]);
  const given = baseOf(args, run.state.prepared);
  const count = args.responseMessages.filter(isOfAssistant).length;
  run.change({ answers: lastAnswers(given.messages, count) });
  const base = await withJudgedInput(run, given, args);
  run.state.trace?.enter('step.preparing');
  run.change({ answers: lastAnswers(base.messages, count) });
  const guarded = await guardStep(run, base, { model: args.model, isFrozen, settings: options.settings });
  const authored = options.prepareStep
    ? await authorStep(options.prepareStep, { args, step: guarded.step, freeze: isFrozen })
    : undefined;
  const step: StepInput = { ...guarded.step, ...authored?.step };
  if (authored?.step.messages)
    run.change({ answers: answersAmong(step.messages, guarded.step.messages, answersIn(run.state, guarded.step.messages)) });
  const overrides = overridesOf(args, step);
  // Compares the values that the AI SDK carries forward at the next step: equal messages stay its own.
  const { messages = args.messages, instructions = args.instructions } = overrides;
  run.change({ prepared: { base, sent: { ...step, messages, instructions } } });
  const fields: StepFields = { ...guarded.fields, ...authored?.fields };
  const providerOptions = mergeProviderOptions(guarded.fields.providerOptions, authored?.fields.providerOptions);
  return resultOf({
    ...overrides,
    ...fields,
    ...(providerOptions && { providerOptions }),
    ...modelOf(run, fields),
  });
};

/**
 * The caller's messages are judged before the first step, or before the tools of approved calls, also that of another call with the same
 * run, and once more when the user has sent another one. The result is kept.
 */
const withJudgedInput = async (run: Run, base: StepInput, args: StepArgs): Promise<StepInput> => {
  const { stepNumber, initialMessages, experimental_steeringMessages: sent } = args;
  if (run.state.input && stepNumber > 0 && !sent) return base;
  const messages = [...systemOf(base.instructions), ...base.messages];
  const { approved } = run.state;
  const isKnown = approved?.messages === initialMessages && !sent && isSame(approved.instructions, base.instructions);
  if (isKnown) {
    const input = await approved.input; // the results of the approved calls follow it
    const results = base.messages.slice(initialMessages.length);
    return input === approved.given ? base : { ...base, ...splitSystem([...input, ...results], base) };
  }
  const judged = await judgeInput(run, messages, 'toPrepareStep');
  return judged === messages ? base : { ...base, ...splitSystem(judged, base) };
};

/** A model that replaces a guarded one is guarded, too. */
const modelOf = (run: Run, { model }: StepFields): { model?: LanguageModel } => {
  const isReplaced =
    model !== undefined && run.adapters.has('withGuards') && !(typeof model === 'object' && run.models.has(model));
  return isReplaced ? { model: withGuards(model, run) } : {};
};

/** The fields that make the AI SDK send this step, without earlier overrides. Missing instructions become an empty list. */
const overridesOf = (args: StepArgs, step: StepInput) => ({
  messages: isSame([...step.messages], [...args.messages]) ? undefined : [...step.messages],
  instructions: step.instructions === args.instructions ? undefined : (step.instructions ?? []),
  runtimeContext: step.runtimeContext === args.runtimeContext ? undefined : step.runtimeContext,
});

const resultOf = (fields: Result): Result | undefined => {
  const set = definedFields(fields);
  return Object.keys(set).length > 0 ? set : undefined;
};

type Answer<TOOLS extends ToolSet, CONTEXT extends Context> = NonNullable<Awaited<PrepareStepResult<TOOLS, CONTEXT>>>;

/**
 * An application's own `prepareStep`, with the context also under its older name. The returned `experimental_context` is the
 * context of this step; `runtimeContext` that of this and the following steps, as in the AI SDK.
 */
type StepAuthor<TOOLS extends ToolSet = ToolSet, CONTEXT extends Context = Context> = (
  args: StepArgs<TOOLS, CONTEXT> & { experimental_context: CONTEXT },
) =>
  | PromiseLike<(Answer<TOOLS, CONTEXT> & { experimental_context?: CONTEXT }) | undefined>
  | (Answer<TOOLS, CONTEXT> & { experimental_context?: CONTEXT })
  | undefined;

interface AuthorStepOptions {
  readonly args: StepArgs;
  /** The step so far. */
  readonly step: StepInput;
  readonly freeze: boolean;
}

/**
 * Calls an author's `prepareStep` with a snapshot: a change in place throws an error with its path, or has no effect. Raises
 * `ai-sdk/frozen-snapshot`, and `ai-sdk/unsupported-field` for `tools`, which the AI SDK would ignore.
 */
const authorStep = async (author: StepAuthor, { args, step, freeze }: AuthorStepOptions) => {
  const views = createReadOnlyViews();
  const viewOf = <T>(value: T, name: string): T => (freeze ? views.view(value, `prepareStep.${name}`) : copyPlain(value));
  const context = step.runtimeContext as Context;
  const sent = args.experimental_steeringMessages && newMessages(args, step);
  const answer = await author({
    ...args,
    messages: viewOf([...step.messages], 'messages'),
    ...(sent && { experimental_steeringMessages: viewOf(sent, 'experimental_steeringMessages') }),
    instructions: viewOf(step.instructions, 'instructions'),
    initialMessages: viewOf(args.initialMessages, 'initialMessages'),
    initialInstructions: viewOf(args.initialInstructions, 'initialInstructions'),
    responseMessages: viewOf(args.responseMessages, 'responseMessages'),
    steps: freeze ? views.viewEach(args.steps, 'prepareStep.steps') : [...args.steps],
    runtimeContext: context,
    experimental_context: context,
  });
  if (answer && 'tools' in answer && answer.tools !== undefined) {
    const detail = 'a step can only choose among the tools of the call; use activeTools.';
    throw new InterlockError('ai-sdk/unsupported-field', { path: 'prepareStep.tools', detail });
  }
  const { model, runtimeContext, toolsContext, experimental_context, experimental_sandbox, ...data } = answer ?? {};
  const { messages, instructions, system, ...rest } = views.unwrap(data);
  const words = instructions ?? system;
  return {
    step: {
      ...(messages && { messages }),
      ...(words !== undefined && { instructions: words }),
      ...(experimental_context !== undefined && { runtimeContext: experimental_context }),
    },
    // Values that are not plain data are passed on as they are.
    fields: definedFields({ ...rest, model, runtimeContext, toolsContext, experimental_sandbox }),
  };
};

/** The messages that the user sent during the run, as guards left them. They are the last ones. */
const newMessages = ({ messages, experimental_steeringMessages: own = [] }: StepArgs, step: StepInput) =>
  lastOfUser(step.messages).slice(lastOfUser(messages).length - own.length);

const lastOfUser = (messages: readonly ModelMessage[]): UserModelMessage[] =>
  messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1).filter((message) => message.role === 'user');
