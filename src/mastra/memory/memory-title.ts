import type { Agent, AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { RunMode } from '../../loop/ports.js';
import { untilAborted, safely } from '../../phase/awaitable.js';
import { readerGuards, type AgentGuards } from '../workflow/guards.js';
import { changeThread, type Conversation, type MemoryTarget } from './memory.js';

/** The thread that gets a title, and the callback for the title. */
export interface Titling {
  readonly agent: Agent;
  /** Builds another agent of the same class. */
  readonly createAgent: (config: object) => Agent;
  readonly guards: AgentGuards;
  readonly mode: RunMode;
  /** The options of the call that matter here. */
  readonly options: Pick<AgentExecutionOptionsBase<unknown>, 'serverless' | 'tracingContext'> & {
    readonly memory?: MemoryTarget;
  };
  readonly requestContext: RequestContext;
}

type Place = Pick<Conversation, 'memory' | 'config' | 'threadId' | 'warn'>;
type TitleModel = ReturnType<Agent['resolveTitleGenerationConfig']>['model'];
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
    const made = makeTitle(titling, place, { messageList, emitTitle }).catch((error: unknown) =>
      place.warn('A thread gets no title, because the title could not be generated', { error }),
    ); // it does not affect the response
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

/** Generates the title in a separate run with the agent's guards. Undefined if they reject it; rejects if a guard fails. */
const makeTitle = async (titling: Titling, place: Place, { messageList, emitTitle }: Making): Promise<string | undefined> => {
  const { agent, createAgent, guards, options, requestContext } = titling;
  const { memory, threadId } = place;
  const { minMessages = 1, model, instructions } = configOf(titling, place);
  const uiMessages = agent.filterUiMessagesByThread(messageList, threadId, messageList.get.all.ui());
  if (!agent.getMostRecentUserMessage(uiMessages) || uiMessages.length < minMessages || !(await isUntitled(place)))
    return undefined;
  const titler = createAgent({
    id: 'thread-title',
    name: 'Thread title',
    instructions: await agent.resolveTitleInstructions(requestContext, instructions),
    model: await modelsOf(agent, requestContext, model),
    ...readerGuards(guards),
  });
  const { tripwire, text } = await titler.generate(agent.formatMessagesForTitle(uiMessages), {
    requestContext,
    tracingContext: options.tracingContext ?? {},
  });
  const title = text.split('</think>').at(-1)?.trim();
  if (tripwire || !title || !(await isUntitled(place))) return undefined; // another run may have been faster
  await emitTitle(title);
  await changeThread(memory, { id: threadId, title }, options.memory?.options);
  return title;
};

/** Models as the agent resolves them, with its gateways: the configured one, else the agent's own with their fallbacks. */
const modelsOf = async (agent: Agent, requestContext: RequestContext, modelConfig: TitleModel): Promise<unknown> => {
  if (modelConfig !== undefined) return agent.getModel({ requestContext, modelConfig });
  return (await agent.getModelList(requestContext)) ?? agent.getModel({ requestContext });
};

const isUntitled = async ({ memory, threadId }: Place): Promise<boolean> => {
  const thread = await memory.getThreadById({ threadId });
  return thread !== null && !thread.title;
};
