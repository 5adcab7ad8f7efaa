import type { GuardStep } from '../guard/in-sequence.js';
import { whenReady } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { isStop, pass, type Verdict } from '../verdict.js';
import { mapGuards, type SequenceNode } from './graph.js';
import { fieldsIn, copyPlain, isRecord, isSame } from '../phase/plain-data.js';
import type { Change } from '../../schemas/run-event.js';
import { alignArray, removed } from './align.js';
import { spansBetween, isNameField, textOf } from './spans.js';

/** A graph whose guards report their changes. */
export const withRecordedEdits = (graph: SequenceNode): SequenceNode =>
  mapGuards(graph, (guard) => ({ ...guard, recordsEdits: true })) as SequenceNode; // each node keeps its kind

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
    return whenReady(returned, (value): PayloadContent => ({ returned: value, before }));
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
  const { messages, systemMessages, taggedSystemMessages } = fieldsIn(host.messages.snapshot(messageList));
  return copyPlain({ ...fieldsIn(fields), messages, systemMessages, taggedSystemMessages });
};

/** Creation times are set by the host and are not changes. */
const neverSeen: ReadonlySet<string> = new Set(['createdAt']);

/**
 * The changes of a value, by target: the words of a text as spans, anything else by its prose before and after. Targets are named as in
 * the reports of a merge, by their path in the value before.
 */
export const changesBetween = (before: unknown, after: unknown, target = ''): Change[] => {
  if (isSame(before, after, neverSeen)) return [];
  const isName = isNameField(target.slice(target.lastIndexOf('.') + 1));
  if (!isName && typeof before === 'string' && typeof after === 'string')
    return [{ target, before, spans: spansBetween(before, after) }];
  if (Array.isArray(before) && Array.isArray(after)) return changesOfArray(before, after, target);
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys]
      .filter((key) => !neverSeen.has(key))
      .flatMap((key) => changesBetween(before[key], after[key], inside(target, key)));
  }
  return [
    { target, ...(before !== undefined && { before: proseOf(before) }), ...(after !== undefined && { after: proseOf(after) }) },
  ];
};

const changesOfArray = (before: readonly unknown[], after: readonly unknown[], target: string): Change[] => {
  const { alignedEntries, inserted } = alignArray(before, after);
  const own = before.flatMap((entry, index) =>
    changesBetween(entry, alignedEntries[index] === removed ? undefined : alignedEntries[index], inside(target, index)),
  );
  const added = [...inserted].flatMap(([position, entries]) =>
    entries.map(({ entry }) => ({ target: inside(target, position), after: proseOf(entry) })),
  );
  return [...own, ...added];
};

const inside = (target: string, key: string | number): string => (target ? `${target}.${key}` : String(key));

/** The prose of a value; one space separates its parts. */
const proseOf = (value: unknown): string => textOf(value).replaceAll(/\s+/g, ' ').trim();
