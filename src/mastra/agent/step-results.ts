import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { DefaultGeneratedFileWithType } from '@mastra/core/stream';
import type { Chunk, StepRecord, ToolCallRecord } from '../../loop/ports.js';
import { isWithheld, type Run } from '../../loop/run.js';
import { copyPlain, fieldsIn } from '../../phase/plain-data.js';
import { dataOf, emptyLike, fillList } from '../messages/list-insides.js';
import { withTextFields } from '../messages/conversion.js';

/** A step in a result: the loop's record, with the views of Mastra's steps. */
export interface StepResult extends StepRecord {
  staticToolCalls: Chunk[];
  dynamicToolCalls: Chunk[];
  staticToolResults: Chunk[];
  dynamicToolResults: Chunk[];
}

/** The messages of an answer in each of Mastra's forms. */
export interface ResponseMessages {
  readonly messages: unknown[];
  readonly uiMessages: unknown[];
  readonly dbMessages: unknown[];
}

/** The messages of the answer in a list. */
export const messagesOf = (list: MessageList): ResponseMessages => {
  const { aiV5, db } = list.get.response;
  return { messages: aiV5.model(), uiMessages: aiV5.ui(), dbMessages: withTextFields(db(), list) };
};

/** A list with a copy of the answer in a list that the run still changes. */
export const copyOfAnswer = (list: MessageList): MessageList => listOf(copyPlain(list.get.response.db()), list);

/** Steps of a run as Mastra's agent returns them. */
export const stepResults = (run: Run, steps: readonly StepRecord[]): StepResult[] => {
  const { list } = run.state;
  const answers = isWithheld(run) ? [] : list.getPersisted.response.db();
  const [ends, calls] = [partEnds(run), callsIn(answers)];
  return steps.map((step) => {
    const readMessages = () => listOf(firstParts(answers, ends.get(step) ?? 0), list);
    return { ...withView(step, calls), response: withMessages(step.response, readMessages) };
  });
};

/** Steps with the views of Mastra's steps, without the messages of their answers. */
export const withViews = (steps: readonly StepRecord[], answers: readonly MastraDBMessage[]): StepResult[] => {
  const calls = callsIn(answers);
  return steps.map((step) => withView(step, calls));
};

const withView = (step: StepRecord, calls: Calls): StepResult => ({
  ...step,
  reasoningText: step.reasoningText ?? '',
  content: [...step.content.map(withFile), ...resultContents(step, calls)],
  finishReason: step.finishReason ?? (step.reason === 'error' ? 'error' : undefined),
  staticToolCalls: step.toolCalls.filter(isDynamic(false)),
  dynamicToolCalls: step.toolCalls.filter(isDynamic(true)),
  staticToolResults: step.toolResults.filter(isDynamic(false)),
  dynamicToolResults: step.toolResults.filter(isDynamic(true)),
});

/** Files have Mastra's class there, which also decodes them. */
const withFile = (content: unknown): unknown => {
  const { type, file } = content as {
    readonly type: 'file';
    readonly file: { readonly mediaType: string; readonly base64: string };
  };
  if (type !== 'file') return content;
  return { type, file: new DefaultGeneratedFileWithType({ data: file.base64, mediaType: file.mediaType }) };
};

const isDynamic =
  (wanted: boolean) =>
  ({ payload }: Chunk): boolean =>
    fieldsIn(payload)['dynamic'] === wanted;

/** The number of parts of the answer after each step, as guards left it. The last step has all while it waits for its tools. */
const partEnds = ({ state: { accepted, steps } }: Run): ReadonlyMap<StepRecord, number> => {
  const counts = new Map(accepted.map(({ record, partCount }) => [record, partCount]));
  let end = 0;
  return new Map(
    steps.map((step) => {
      end += counts.get(step) ?? 0;
      return [step, step.reason === undefined ? Infinity : end];
    }),
  );
};

/** Each step has the messages up to its end, so they are created when they are read. */
const withMessages = (response: StepRecord['response'], read: () => MessageList): StepRecord['response'] => {
  let messages: ResponseMessages | undefined;
  const own = { ...response };
  for (const name of ['messages', 'uiMessages', 'dbMessages'] as const)
    Object.defineProperty(own, name, {
      get: () => (messages ??= messagesOf(read()))[name],
      enumerable: true,
      configurable: true,
    });
  return own;
};

/** The messages of an answer with its first parts. */
const firstParts = (messages: readonly MastraDBMessage[], count: number): MastraDBMessage[] => {
  let left = count;
  return messages.flatMap((message) => {
    if (left <= 0) return [];
    if (message.role !== 'assistant') return [message];
    const parts = message.content.parts.slice(0, left);
    left -= parts.length;
    return [{ ...message, content: { ...message.content, parts } }];
  });
};

/** A list of the same conversation with these messages only. */
const listOf = (messages: readonly MastraDBMessage[], like: MessageList): MessageList => {
  const data = dataOf(like);
  return fillList(emptyLike(like, data), { ...data, messages });
};

/** The tool calls of an answer by their ids, with their current ends. */
type Calls = ReadonlyMap<string, object>;

const callsIn = (answers: readonly MastraDBMessage[]): Calls =>
  new Map(
    answers.flatMap(({ content }) =>
      content.parts.flatMap((part) =>
        part.type === 'tool-invocation' ? [[part.toolInvocation.toolCallId, part.toolInvocation] as const] : [],
      ),
    ),
  );

/** The results and errors of a step's tools, in the AI SDK's form of a step's content. */
const resultContents = ({ toolCalls, toolResults }: StepRecord, calls: Calls): object[] => {
  const results = toolResults.map(({ toolCallId, toolName, input, output }) =>
    resultContent({ toolCallId, toolName, input }, typeof output === 'string' ? 'text' : 'json', output),
  );
  const answered = new Set(toolResults.map(({ toolCallId }) => toolCallId));
  const errors = toolCalls.flatMap((call) => (answered.has(call.toolCallId) ? [] : errorContent(call, calls)));
  return [...results, ...errors];
};

/** The text of the error is in the message, as guards left it. */
const errorContent = ({ toolCallId, toolName, input }: ToolCallRecord, calls: Calls): object[] => {
  const { state, errorText } = fieldsIn(calls.get(toolCallId));
  return state === 'output-error' ? [resultContent({ toolCallId, toolName, input }, 'error-text', errorText)] : [];
};

const resultContent = (call: object, type: string, value: unknown): object => ({
  type: 'tool-result',
  ...call,
  output: { type, value },
});
