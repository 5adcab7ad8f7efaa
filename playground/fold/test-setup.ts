import type { RunEvent } from '../../schemas/index.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import type { StudioEntry } from '../protocol/trace-entry.js';

/** Lines of a run from its events, renumbered from 0. */
const linesOf = (events: readonly RunEvent[]): StudioEntry[] =>
  events.map((event, seq) => ({ kind: 'event', seq, at: event.at, event }));

/** The events of a real run whose first answer is rejected, and whose second is accepted. */
export const retriedRun = async (): Promise<StudioEntry[]> => {
  const events: RunEvent[] = [];
  const agent = new InterlockAgent({
    id: 'support',
    name: 'Support',
    instructions: 'Help.',
    model: scriptedModel({ steps: [{ text: ['ok', '.'] }, { text: ['It is on ', 'its way.'] }] }),
    outputProcessors: [
      {
        id: 'quality',
        processOutputStep: ({ text, abort, messageList }) =>
          text === 'ok.' ? abort('Too short.', { retry: true }) : messageList,
      },
    ],
    maxProcessorRetries: 1,
  });
  const stream = await agent.stream('Where is it?', { onRunEvent: (event) => void events.push(event) });
  await stream.consumeStream();
  return linesOf(events);
};

const at = (seq: number) => ({ seq, at: 1000 + seq * 10 });
const place = { stepNumber: 0, attempt: 1 };
const event = (seq: number, fields: object): StudioEntry => ({
  ...at(seq),
  kind: 'event',
  event: { runId: 'r', ...at(seq), ...place, ...fields } as RunEvent, // a test gives the fields of its event
});

/** Short ways to write lines by hand. */
export const line = {
  event,
  state: (seq: number, state: string, position = place) => event(seq, { type: 'state-enter', state, ...position }),
  came: (seq: number, chars: number, position = place): StudioEntry => ({
    ...at(seq),
    ...position,
    kind: 'came',
    part: { type: 'text-delta', partId: 't', chars },
  }),
  left: (seq: number, text: string, position = place): StudioEntry => ({
    ...at(seq),
    ...position,
    kind: 'left',
    part: { type: 'text-delta', partId: 't', chars: text.length },
    text,
  }),
  ended: (seq: number): StudioEntry => ({
    ...at(seq),
    ...place,
    kind: 'left',
    part: { type: 'text-end', partId: 't', chars: 0 },
  }),
};
