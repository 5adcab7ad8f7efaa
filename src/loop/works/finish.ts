import type { PhaseData } from '../../phase/row.js';
import type { Outcome } from '../outcome.js';
import { acceptedSteps, judge, stepsForHooks, type Run } from '../run.js';
import { textOf } from '../answer.js';

/** The whole answer is judged once, when the loop is done. */
export const finish = async (run: Run): Promise<Outcome> => {
  const before = responseText(run);
  const judged = await judge<'outputResult'>(run, resultPayload(run));
  if (judged.outcome) return judged.outcome;
  const after = responseText(run);
  const last = acceptedSteps(run).at(-1);
  // Guards here edit the whole response, which is the last step's from the reader's point of view.
  if (last && after !== before) spreadText(run, after);
  return { kind: 'done' };
};

/** The payload of the result phase, also for those who persist. */
export const resultPayload = (run: Run): PhaseData<'outputResult'> => {
  const { list } = run.options;
  const { messages } = run.scope.host;
  const steps = acceptedSteps(run);
  return {
    phase: 'outputResult',
    messages: messages.read(list, 'response'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    retryCount: run.retries,
    result: {
      text: steps.map((step) => step.text).join(''),
      usage: run.usage,
      finishReason: steps.at(-1)?.finishReason ?? 'unknown',
      steps: stepsForHooks(run),
    },
  };
};

const responseText = (run: Run): string =>
  run.scope.host.messages
    .read(run.options.list, 'response')
    .filter((message) => message.role === 'assistant')
    .map((message) => textOf(message.content.parts))
    .join('');

/** The steps' texts follow the edited response: the last step takes all that stands, earlier ones keep what still stands. */
const spreadText = (run: Run, text: string): void => {
  const steps = acceptedSteps(run);
  let rest = text;
  for (const step of steps.slice(0, -1)) {
    if (!rest.startsWith(step.text)) step.text = '';
    rest = rest.slice(step.text.length);
  }
  const last = steps.at(-1);
  if (last) last.text = rest;
};
