import pLimit from 'p-limit';
import type { Outcome } from '../outcome.js';
import type { StepRecord, ToolCall, ToolOutcome } from '../ports.js';
import { agentChunk, currentAttempt, judge, releaseJudged, stepsForHooks, type Attempt, type Run } from '../run.js';

/** Runs the tools of a reviewed step side by side; their results are judged in the order of the calls. */
export const tools = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const record = attempt.record as StepRecord; // review made it; the machine comes here from there alone
  const calls = record.toolCalls.filter((call) => !call.providerExecuted);
  const limit = pLimit(run.options.toolConcurrency);
  const running = calls.map((call) => limit(() => execute(run, attempt, call)));
  let leftToClient = false;
  for (const [index, call] of calls.entries()) {
    const outcome = (await running[index]) as ToolOutcome;
    if (outcome.kind === 'client') leftToClient = true;
    else {
      const stop = await settle(run, record, { call, outcome });
      if (stop) return stop;
    }
  }
  record.reason = 'tool-calls';
  return { kind: 'executed', stop: leftToClient || (await run.options.ports.shouldStop(run.steps)) };
};

const execute = async (run: Run, attempt: Attempt, call: ToolCall): Promise<ToolOutcome> => {
  const { toolCallId, toolName } = call;
  const key = callKey(call);
  if (run.finishedCalls.has(key)) {
    run.recorder.record({ type: 'tool-finish', toolCallId, toolName, outcome: 'reused', durationMs: 0 });
    return { kind: 'result', result: run.finishedCalls.get(key) };
  }
  const startedAt = run.scope.now();
  run.recorder.record({ type: 'tool-start', toolCallId, toolName });
  const outcome = await run.options.ports.runTool({
    call,
    settings: attempt.settings,
    abortSignal: run.signal,
    write: async (chunk) => void (await releaseJudged(run, { runId: run.options.runId, from: 'AGENT', ...chunk })),
  });
  if (outcome.kind === 'result') run.finishedCalls.set(key, outcome.result);
  if (outcome.kind !== 'client')
    run.recorder.record({
      type: 'tool-finish',
      toolCallId,
      toolName,
      outcome: outcome.kind,
      durationMs: run.scope.now() - startedAt,
    });
  return outcome;
};

/** A call is the same as one of a rejected attempt where tool and arguments are. */
const callKey = ({ toolName, args }: ToolCall): string => `${toolName} ${JSON.stringify(args)}`;

interface Settled {
  call: ToolCall;
  outcome: Exclude<ToolOutcome, { kind: 'client' }>;
}

const settle = async (run: Run, record: StepRecord, { call, outcome }: Settled): Promise<Outcome | undefined> => {
  const { list, ports } = run.options;
  ports.messages.setToolOutcome(list, call, outcome);
  if (outcome.kind === 'error') {
    const { toolCallId, toolName, args } = call;
    return (await releaseJudged(run, agentChunk(run, 'tool-error', { toolCallId, toolName, args, error: outcome.error }))).outcome;
  }
  const judged = await judge<'toolResult'>(run, resultPayload(run, call, outcome.result));
  if (judged.outcome) return judged.outcome;
  const current = run.scope.host.messages.readToolResult(list, call.toolCallId);
  const result = current.found ? current.result : outcome.result;
  const { toolCallId, toolName, args } = call;
  const chunk = agentChunk(run, 'tool-result', { toolCallId, toolName, args, result });
  record.toolResults.push({ ...chunk, ...{ toolCallId, toolName, input: args, output: result } });
  return (await releaseJudged(run, chunk)).outcome;
};

const resultPayload = (run: Run, { toolCallId, toolName, args }: ToolCall, result: unknown) => {
  const { list } = run.options;
  const { messages } = run.scope.host;
  return {
    phase: 'toolResult' as const,
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    stepNumber: run.position.stepNumber,
    toolName,
    toolCallId,
    args,
    result,
    steps: stepsForHooks(run),
    retryCount: run.retries,
  };
};
