import { isDelegated, refusingAnswer, refusingStream } from '../tools/delegation.js';
import type { Begun } from './begun.js';
import type { AgentSetup } from './read-config.js';
import { answerOf, wantedOf } from './result.js';
import { streamOf } from './run-stream.js';

export interface Answering {
  readonly agentId: string;
  readonly guards: AgentSetup['guards'];
}

/** What a run that has begun gives as an answer, once it has ended. */
export const answered = async ({ run, callbacks, end }: Begun, { agentId, guards }: Answering): Promise<unknown> => {
  run.options.outlet.drain();
  await end();
  const result = answerOf(run, wantedOf(callbacks, guards));
  return isDelegated(callbacks) ? refusingAnswer(agentId, result) : result;
};

/** What a run that has begun gives as a stream. */
export const streamed = ({ run, callbacks, transforms, end }: Begun, { agentId, guards }: Answering): object => {
  const stream = streamOf(run, { ended: end(), transforms, ...wantedOf(callbacks, guards) });
  return isDelegated(callbacks) ? refusingStream(agentId, stream) : stream;
};
