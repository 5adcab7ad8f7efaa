import type { GuardStep } from '../guard/in-sequence.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { WorkflowFrame } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { pass } from '../verdict.js';
import { childrenOf, type GraphNode, type SequenceNode } from './graph.js';

/** One node of a sequence with a frame: the ids of its result, and its steps in a phase. */
interface FrameMember<P extends Phase> {
  readonly ids: readonly string[];
  readonly steps: readonly GuardStep<P>[];
}

/** Whether functions directly in a sequence, or in its blocks, may read the state of a Mastra workflow. */
export const needsFrame = ({ nodes }: SequenceNode): boolean => nodes.some(hasConditions);

const hasConditions = (node: GraphNode): boolean =>
  ('needsFrame' in node && node.needsFrame === true) || (node.kind !== 'sequence' && childrenOf(node).some(hasConditions));

/**
 * The steps of a sequence with access to the workflow's input and the results of earlier steps. After `end` the remaining steps are
 * skipped.
 */
export const framedSteps = <P extends Phase>(members: readonly FrameMember<P>[]): GuardStep<P>[] =>
  members.flatMap(({ steps }, index) => {
    const before = members.slice(0, index).flatMap(({ ids }) => ids);
    return steps.map((step) => framed(step, before));
  });

const skipped: unique symbol = Symbol('skipped');

const framed = <P extends Phase>(step: GuardStep<P>, before: readonly string[]): GuardStep<P> => ({
  ...step,
  run: (data, scope, call) => {
    const frame = scope.workflow as PlanFrame; // opened by `inFrame`
    if (frame.isOver) return skipped;
    for (const id of before) if (!frame.results.has(id)) frame.results.set(id, frozenCopy(data));
    return step.run(data, scope, call);
  },
  read: (returned, data, scope) => (returned === skipped ? pass : step.read(returned, data, scope)),
});

interface PlanFrame extends WorkflowFrame {
  readonly results: Map<string, PhaseData>;
}

/** A frame for the steps of a workflow with a payload; its state is that of the outer workflow. */
export const openFrame = (workflowId: string, data: PhaseData, outer?: WorkflowFrame): PlanFrame => {
  const results = new Map<string, PhaseData>();
  const init = frozenCopy(data);
  let own: object = {};
  let isOver = false;
  return {
    workflowId,
    results,
    getInitData: () => init,
    getStepResult: (step) => results.get(typeof step === 'string' ? step : step.id) ?? null,
    get state() {
      return outer?.state ?? own;
    },
    setState: async (state) => {
      if (outer) await outer.setState(state);
      else own = { ...own, ...state };
    },
    get isOver() {
      return isOver;
    },
    end: () => {
      isOver = true;
    },
  };
};

/** A snapshot of the payload: an edit replaces content of the list's messages. */
export const frozenCopy = (data: PhaseData): PhaseData => {
  const { messages }: MessageCarrier = data;
  return messages ? ({ ...data, messages: messages.map((message) => ({ ...message })) } as PhaseData) : data; // each keeps its phase
};
