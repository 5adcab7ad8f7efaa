import type { Agent } from '@mastra/core/agent';
import type { Chunk } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { safely } from '../safely.js';

/**
 * Shows a run in the channel that its thread belongs to, such as one of Slack, by the processor that Mastra's channels bring. It gets what
 * every reader of the run gets: what guards hold back or reject is not sent. Settles when the channel has all of it; a channel that fails changes nothing of the run.
 */
export const showInChannel = async (agent: Agent, { options: { streamBuffer, context } }: Run): Promise<void> => {
  const [channel] = agent.getChannels()?.getOutputProcessors([]) ?? [];
  if (!channel || 'workflow' in channel) return;
  const { requestContext } = context;
  const state = {};
  const show = (part: Chunk) => channel.processOutputStream?.({ part, state, requestContext } as never); // what it reads
  for await (const chunk of streamBuffer.read()) await safely(show, chunk.type === 'step-finish' ? stepFinish(true) : chunk);
  await safely(show, stepFinish(false));
};

/**
 * The end of a step. A channel waits for nothing after the last one, so that is told at the end of the stream: the tripwire of a run follows
 * its last step, and a run that waits for a person has none.
 */
const stepFinish = (isContinued: boolean): Chunk => ({ type: 'step-finish', payload: { stepResult: { isContinued } } });
