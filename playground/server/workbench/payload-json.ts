import { configure } from 'safe-stable-stringify';
import type { Phase, PhaseData } from '../../../src/index.js';
import { createHost } from '../../../src/mastra/workflow/host.js';
import type { MessageCarrier } from '../../../src/phase/settle-messages.js';
import { phaseRow } from '../../../src/phase/table.js';
import { textsIn } from '../../../src/trace/texts-in.js';
import type { TextAt } from '../../protocol/trace-entry.js';

/** Fields that an engine passes along, and that are no part of what is judged. */
const passedAlong = new Set(['messageList', 'processorStates', 'agent', 'steps']);

/** A payload as JSON, as it is now: its messages are those of its list. */
export const payloadAsJson = (data: PhaseData): unknown => {
  const fields = Object.fromEntries(Object.entries(data).filter(([name]) => !passedAlong.has(name)));
  const { messageList }: MessageCarrier = data;
  const { carries } = phaseRow<Phase>(data.phase);
  if (!messageList || !carries) return asJson(fields);
  const { messages } = createHost();
  return asJson({
    ...fields,
    messages: messages.read(messageList, carries.scope),
    systemMessages: messages.readSystem(messageList),
  });
};

/** Circles and functions of a payload are no reason not to show the rest. */
const asJson = (value: unknown): unknown => JSON.parse(stringify(value) ?? 'null') as unknown;

const stringify = configure({ deterministic: false });

/** The words of a payload, where they stand. */
export const textsOfPayload = (data: PhaseData): TextAt[] =>
  textsIn(payloadAsJson(data)).filter(({ target }) => target !== 'phase');
