import { pass } from '../../verdict.js';
import type { Host } from '../host.js';
import { isSame } from '../plain-data.js';
import { definePhase, type PhaseData } from '../row.js';
import { listOf, messageArgs, refreshed, settleMessages, type MessageInfo } from '../settle-messages.js';

type Data = PhaseData<'toolResult'>;

/** A processor's declaration, see `GuardTraits`. */
interface Declared {
  readonly traits?: { readonly judgesErrors?: boolean };
}

const facts: MessageInfo = {
  scope: 'all',
  source: 'response',
  emptyMeansUnchanged: true,
  adopt: (payload, before, host) => {
    const [made, data] = [payload as Data, before as Data]; // the functions of this row get only its payloads
    const changed = (['result', 'toolResultValue'] as const).find((name) => made[name] !== data[name]);
    if (changed) host.messages.writeToolResult(listOf(data), made, made[changed]);
  },
  complete: (list, payload, { messages }) => {
    const data = payload as Data;
    if (messages.readToolResult(list, data.toolCallId).found) return false;
    messages.writeToolResult(list, data, data[nameOfResult(data)]);
    return true;
  },
};

/** `processToolResult`: a tool's result, before the model or any reader gets it. */
export const toolResult = definePhase({
  phase: 'toolResult',
  hook: 'processToolResult',
  cadence: 'tool',
  lane: 'output',
  retryLeadsTo: 'step',
  loopState: 'step.tools',
  title: 'Tool result',
  carries: facts,
  merge: { copied: ['args', 'result', 'toolResultValue'] },
  skips: ({ isError }, processor) => isError === true && !(processor as Declared).traits?.judgesErrors,
  refresh: (data, host) => withCurrentResult(refreshed(data, host, facts), host),
  invoke: ({ processor, data, context, host }) =>
    processor.processToolResult({
      ...context,
      ...messageArgs(data, host, facts),
      stepNumber: data.stepNumber,
      toolName: data.toolName,
      toolCallId: data.toolCallId,
      args: data.args,
      result: data[nameOfResult(data)],
      providerExecuted: data.providerExecuted,
      steps: data.steps ?? [],
    }),
  settle: (returned, options) => {
    const verdict = settleMessages(returned, options, facts);
    const before = verdict.kind === 'edit' ? verdict.data : options.data;
    const data = withCurrentResult(before, options.host);
    const name = nameOfResult(data);
    if (!isSame(data[name], before[name])) return { kind: 'edit', data };
    if (data !== before) options.host.messages.writeToolResult(listOf(before), before, before[name]); // one object in both
    return verdict.kind === 'edit' ? verdict : pass;
  },
});

/** A payload from Mastra's engine has the value in a field with another name. */
const nameOfResult = (data: Data): 'toolResultValue' | 'result' => ('toolResultValue' in data ? 'toolResultValue' : 'result');

/** Hooks replace a result inside the list; this updates the payload, so that the next hook gets the current result. */
const withCurrentResult = (data: Data, host: Host): Data => {
  const name = nameOfResult(data);
  const { found, result } = host.messages.readToolResult(listOf(data), data.toolCallId);
  return !found || result === data[name] ? data : { ...data, [name]: result };
};
