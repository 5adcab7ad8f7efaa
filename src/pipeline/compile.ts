import { inSequence, type Guard } from '../guard/in-sequence.js';
import { noteSentStandIns, noteStandIns } from '../guard/stand-ins.js';
import { whenReady } from '../phase/awaitable.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import { listOf, withMessageList } from '../phase/settle-messages.js';
import { phaseNames, phaseRow } from '../phase/table.js';
import { pass } from '../verdict.js';
import type { Plan, SequenceNode } from './graph.js';
import { stepsOf } from './graph-steps.js';
import { checkGraph } from './verify/checks.js';

/**
 * Compiles a graph to a plan.
 *
 * Raises the errors that `verify` finds, such as `pipeline/duplicate-id`, `pipeline/empty`.
 */
export const compileGraph = (graph: SequenceNode): Plan => {
  checkGraph(graph);
  const entries = phaseNames.map((phase) => [phase, compilePhase<Phase>(phaseRow<Phase>(phase), graph)]);
  const guards = Object.fromEntries(entries) as { [P in Phase]?: Guard<P> }; // each phase's guard under its name
  return {
    id: graph.id,
    graph,
    has: (phase) => guards[phase] !== undefined,
    run: (phase, data, scope) => guards[phase]?.(data, scope) ?? pass,
  };
};

const compilePhase = <P extends Phase>(row: PhaseRow<P>, graph: SequenceNode): Guard<P> | undefined => {
  const steps = stepsOf(row, graph, graph.id);
  if (steps.length === 0) return undefined;
  const guard = inSequence(steps);
  const facts = row.carries;
  if (!facts) return row.merge?.copied?.includes('prompt') ? withoutFallen(guard) : guard;
  return (data, scope) => {
    try {
      const given = withMessageList(data, scope.host, facts);
      const { messages } = scope.host;
      const list = listOf(given);
      const dropFallen = noteStandIns(messages.read(list, 'all'));
      const verdict = guard(given, scope);
      return dropFallen ? whenReady(verdict, (own) => (dropFallen(messages.read(list, 'all')), own)) : verdict;
    } catch (error) {
      return { kind: 'unavailable', processorId: graph.id, phase: row.phase, path: graph.id, error };
    }
  };
};

/** Removes the metadata that represents content which guards changed in a prompt, by a result or in place. */
const withoutFallen =
  <P extends Phase>(guard: Guard<P>): Guard<P> =>
  (data, scope) => {
    const { prompt }: PromptCarrier = data;
    const leave = prompt && noteSentStandIns(prompt);
    if (!leave) return guard(data, scope);
    return whenReady(guard(data, scope), (own) => {
      if (own.kind !== 'pass' && own.kind !== 'edit') return own;
      const after = own.kind === 'edit' ? own.data : data;
      const { prompt: judged = prompt }: PromptCarrier = after;
      const left = leave(judged);
      return left === judged ? own : { kind: 'edit', data: { ...after, prompt: left } };
    });
  };

interface PromptCarrier {
  readonly phase: Phase;
  readonly prompt?: PhaseData<'llmRequest'>['prompt'];
}
