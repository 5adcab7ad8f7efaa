import type { Agent } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { TracingContext } from '@mastra/core/observability';
import type { Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { RunMode } from '../../loop/ports.js';
import { untilAborted } from '../../loop/until-aborted.js';
import { changeThread, type Conversation, type MemoryTarget } from './memory.js';
import { safely } from '../safely.js';

/** The thread that gets a title, and the callback for the title. */
export interface Titling {
  readonly agent: Agent;
  /** Builds another agent of the same class. */
  readonly createAgent: (config: object) => Agent;
  readonly guards: { readonly outputProcessors?: unknown };
  readonly mode: RunMode;
  /** The options of the call that matter here. */
  readonly options: {
    readonly memory?: MemoryTarget;
    readonly serverless?: { readonly waitUntil?: (work: Promise<unknown>) => void };
    readonly tracingContext?: TracingContext;
  };
  readonly requestContext: RequestContext;
}

type Place = Pick<Conversation, 'memory' | 'config' | 'threadId'>;
type EmitTitle = (title: string) => Promise<void>;

/**
 * Generates a title for an untitled thread from the accepted conversation, if the memory's `generateTitle` requests it. As in
 * Mastra's agent, the run only waits for the title if its stream carries it (`emitEvent`).
 */
export const threadTitle = (titling: Titling, place: Place): Processor => ({
  id: 'thread-title',
  processOutputResult: async ({ messageList, result, writer, abortSignal }) => {
    if (result.steps.length === 0 || place.config.readOnly) return messageList; // not an accepted answer
    const { options, mode } = titling;
    const { shouldGenerate, emitEvent } = configOf(titling, place);
    if (!shouldGenerate) return messageList;
    const isEmitted = emitEvent === true && mode === 'stream';
    const data = (title: string) => ({ threadId: place.threadId, title });
    const emitTitle: EmitTitle = async (title) =>
      isEmitted ? writer?.custom({ type: 'data-thread-title', data: data(title), transient: true } as never) : undefined; // as in Mastra
    const made = makeTitle(titling, place, { messageList, emitTitle }).catch(() => undefined); // a failure does not affect the response
    const notified = made.then((title) => (title ? safely(options.memory?.onTitleGenerated, title) : undefined));
    options.serverless?.waitUntil?.(notified);
    if (isEmitted) await (abortSignal ? untilAborted(made, abortSignal) : made);
    return messageList;
  },
});

const configOf = ({ agent }: Titling, { config }: Place) => agent.resolveTitleGenerationConfig(config.generateTitle);

interface Making {
  readonly messageList: MessageList;
  /** Emits the title before it is saved: a title that stream guards reject is not saved. */
  readonly emitTitle: EmitTitle;
}

const makeTitle = async (titling: Titling, place: Place, { messageList, emitTitle }: Making): Promise<string | undefined> => {
  const { agent, options, requestContext } = titling;
  const { memory, threadId } = place;
  const { minMessages = 1, model, instructions } = configOf(titling, place);
  const uiMessages = agent.filterUiMessagesByThread(messageList, threadId, messageList.get.all.ui());
  const question = agent.getMostRecentUserMessage(uiMessages);
  if (!question || uiMessages.length < minMessages || !(await isUntitled(place))) return undefined;
  const tracing = { tracingContext: options.tracingContext ?? {} } as never; // passed through
  const generated = await agent.genTitle(question, requestContext, tracing, model, instructions, uiMessages);
  const title = generated && (await acceptedTitle(titling, generated));
  if (!title || !(await isUntitled(place))) return undefined; // another run may have been faster
  await emitTitle(title);
  await changeThread(memory, { id: threadId, title }, options.memory?.options);
  return title;
};

/**
 * The title as the output guards leave it: they judge it as the answer of a separate run, which calls no model. Undefined if they reject it.
 * Rejects if a guard fails.
 */
const acceptedTitle = async (titling: Titling, title: string): Promise<string | undefined> => {
  const { agent, createAgent, guards, requestContext } = titling;
  const { outputProcessors } = guards;
  if (outputProcessors === undefined || (Array.isArray(outputProcessors) && outputProcessors.length === 0)) return title;
  const chunks = [
    { type: 'text-delta', payload: { id: 'title', text: title } },
    { type: 'finish', payload: { stepResult: { reason: 'stop' } } },
  ];
  const answering: Processor = { id: 'generated-title', processLLMRequest: () => ({ response: { chunks } }) };
  const model = await agent.getModel({ requestContext });
  const config = { id: 'thread-title', name: 'Thread title', instructions: '', model };
  const judge = createAgent({ ...config, inputProcessors: [answering], outputProcessors });
  const { tripwire, text } = await judge.generate('The title of the conversation:', { requestContext });
  return tripwire ? undefined : text;
};

const isUntitled = async ({ memory, threadId }: Place): Promise<boolean> => {
  const thread = await memory.getThreadById({ threadId });
  return thread !== null && !thread.title;
};
