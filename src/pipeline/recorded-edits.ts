import type { GuardStep } from '../guard/in-sequence.js';
import { isPromise, whenReady } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { isStop, pass, type Verdict } from '../verdict.js';
import { changesBetween } from './changes-between.js';
import type { GraphNode, SequenceNode } from './graph.js';
import { copyPlain, isSame } from '../phase/plain-data.js';

/** A graph whose guards report their changes. */
export const withRecordedEdits = (graph: SequenceNode): SequenceNode => marked(graph) as SequenceNode; // each node keeps its kind

const marked = (node: GraphNode): GraphNode => {
  switch (node.kind) {
    case 'guard':
      return { ...node, recordsEdits: true };
    case 'function':
    case 'map':
      return node;
    case 'parallel':
    case 'sequence':
      return { ...node, nodes: node.nodes.map(marked) };
    case 'branch':
      return { ...node, arms: node.arms.map((arm) => ({ ...arm, node: marked(arm.node) })) };
    default:
      return node satisfies never;
  }
};

/** The result of a step's code, and its input. */
interface PayloadContent {
  readonly returned: unknown;
  readonly before: unknown;
}

/** A step that reports its changes, in place or not: a function from step to step, folded when the plan is built. */
export const recordingEdits = <P extends Phase>(step: GuardStep<P>): GuardStep<P> => ({
  ...step,
  run: (data, scope, call) => {
    const before = contentOf(data, scope);
    const returned = step.run(data, scope, call);
    return isPromise(returned) ? returned.then((value): PayloadContent => ({ returned: value, before })) : { returned, before };
  },
  read: (content, data, scope) => {
    const { returned, before } = content as PayloadContent; // the result of `run`
    return whenReady(step.read(returned, data, scope), (verdict): Verdict<PhaseData<P>> => {
      if (isStop(verdict)) return verdict;
      const after = verdict.kind === 'edit' ? verdict.data : data;
      const changes = changesBetween(before, contentOf(after, scope));
      if (changes.length > 0) return { kind: 'edit', data: after, changes };
      return verdict.kind === 'edit' && isSame(seen(data), seen(after)) ? pass : verdict;
    });
  },
});

/** Fields derived from the list, and fields that an engine passes along with the payload. */
const unseen = new Set(['phase', 'messageList', 'messages', 'systemMessages', 'streamParts', 'state', 'steps', 'agent']);

/** The fields of a payload other than its list; they are compared when the list is the same. */
const seen = (data: PhaseData): unknown => Object.fromEntries(Object.entries(data).filter(([name]) => !unseen.has(name)));

/** An immutable copy of a payload, as plain data. */
const contentOf = (data: PhaseData, { host }: RunScope): unknown => {
  const { messageList }: MessageCarrier = data;
  const fields = seen(data);
  if (!messageList) return copyPlain(fields);
  const { messages, systemMessages, taggedSystemMessages } = host.messages.snapshot(messageList) as Record<string, unknown>;
  return copyPlain({ ...(fields as object), messages, systemMessages, taggedSystemMessages });
};
