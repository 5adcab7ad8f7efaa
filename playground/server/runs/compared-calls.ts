import { tellTool } from '../../fold/facts.js';
import type { RunView, ToolCall } from '../../fold/run-view.js';
import { toolCallPhase, type ComparedRow, type ComparedVerdict } from '../../protocol/runs.js';

interface PlacedCall extends Pick<ComparedRow, 'stepNumber' | 'attempt'> {
  readonly call: ToolCall;
}

/** The tool calls of two runs, as rows of their comparison. Calls of one tool in one attempt belong together in their order. */
export const comparedCalls = (before: RunView, after: RunView): ComparedRow[] => {
  const [old, young] = [callsIn(before), callsIn(after)];
  return [...new Map([...old, ...young])].map(([key, { stepNumber, attempt, call }]) => {
    const [one, other] = [old, young].map((calls) => outcomeOf(calls.get(key)?.call));
    return {
      phase: toolCallPhase,
      path: call.toolName,
      processorId: call.toolName,
      stepNumber,
      attempt,
      ...(one && { before: one }),
      ...(other && { after: other }),
      differs: JSON.stringify(one) !== JSON.stringify(other),
    };
  });
};

const callsIn = ({ lanes }: RunView): ReadonlyMap<string, PlacedCall> => {
  const calls = new Map<string, PlacedCall>();
  for (const { stepNumber, attempt, tools } of lanes)
    for (const call of tools) {
      const nth = tools.filter(({ toolName }) => toolName === call.toolName).indexOf(call);
      calls.set(JSON.stringify([stepNumber, attempt, call.toolName, nth]), { stepNumber, attempt, call });
    }
  return calls;
};

const written = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The outcome in a word, with the arguments and the result. */
const outcomeOf = (call: ToolCall | undefined): ComparedVerdict | undefined =>
  call && {
    verdict: tellTool(call).word,
    reason: [call.args, call.error ?? call.result].map(written).filter(Boolean).join(' → '),
  };
