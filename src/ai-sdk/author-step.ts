import type { PrepareStepFunction, PrepareStepResult, ToolSet, UserModelMessage, ModelMessage } from 'ai';
import { InterlockError } from '../errors.js';
import { copyPlain, definedFields } from '../phase/plain-data.js';
import { createReadOnlyViews } from './read-only.js';
import type { StepInput } from './step.js';

type Context = Record<string, unknown>;
type StepArgs<TOOLS extends ToolSet, CONTEXT extends Context> = Parameters<PrepareStepFunction<TOOLS, CONTEXT>>[0];
type Answer<TOOLS extends ToolSet, CONTEXT extends Context> = NonNullable<Awaited<PrepareStepResult<TOOLS, CONTEXT>>>;

/**
 * An application's own `prepareStep`, with the context also under its older name. The returned `experimental_context` is the
 * context of this step; `runtimeContext` that of this and the following steps, as in the AI SDK.
 */
export type StepAuthor<TOOLS extends ToolSet = ToolSet, CONTEXT extends Context = Context> = (
  args: StepArgs<TOOLS, CONTEXT> & { experimental_context: CONTEXT },
) =>
  | PromiseLike<(Answer<TOOLS, CONTEXT> & { experimental_context?: CONTEXT }) | undefined>
  | (Answer<TOOLS, CONTEXT> & { experimental_context?: CONTEXT })
  | undefined;

interface AuthorStepOptions {
  readonly args: StepArgs<ToolSet, Context>;
  /** The step so far. */
  readonly step: StepInput;
  readonly freeze: boolean;
}

/**
 * Calls an author's `prepareStep` with a snapshot: a change in place throws an error with its path, or has no effect. Raises
 * `ai-sdk/frozen-snapshot`, and `ai-sdk/unsupported-field` for `tools`, which the AI SDK would ignore.
 */
export const authorStep = async (author: StepAuthor, { args, step, freeze }: AuthorStepOptions) => {
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
    steps: freeze ? (views.viewEach(args.steps, 'prepareStep.steps') as typeof args.steps) : [...args.steps],
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
const newMessages = ({ messages, experimental_steeringMessages: own = [] }: StepArgs<ToolSet, Context>, step: StepInput) =>
  lastOfUser(step.messages).slice(lastOfUser(messages).length - own.length);

const lastOfUser = (messages: readonly ModelMessage[]): UserModelMessage[] =>
  messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1) as UserModelMessage[]; // of that role
