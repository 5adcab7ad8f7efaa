import { computed, copyShared } from '../phase/plain-data.js';
import type { Plan } from '../pipeline/graph.js';
import type { Conversation } from './conversation.js';
import { messagesOf, type LateEdit } from './recorded-steps.js';
import type { Run } from './run.js';

/** Records edits that a plan's guards make. Edits of the caller's messages have no effect, and are reported. */
export const watchEdits = (run: Run, plan: Plan, conversationOf: () => Conversation) => {
  const changes = new WeakMap<Conversation, Set<string>>(); // another attempt has another conversation
  const changedIn = (conversation: Conversation) => computed(changes, conversation, () => new Set<string>());
  let seen: ReadonlyMap<string, object> | undefined;
  /** The original messages as they are now; unchanged ones are the same objects as before. */
  const look = (conversation: Conversation): NonNullable<typeof seen> => {
    const before: ReadonlyMap<string, object> = seen ?? conversation.originals; // no guard has their parts
    const now = new Map<string, object>();
    for (const [id, { role, content }] of messagesOf(run, conversation))
      now.set(id, copyShared(before.get(id), { role, parts: content.parts }));
    return (seen = now);
  };
  const watched: Plan['run'] = async (phase, data, scope) => {
    const conversation = conversationOf();
    const before = look(conversation);
    const verdict = await plan.run(phase, data, scope);
    if (phase === 'apiError') return verdict; // it prepares the next prompt
    const now = look(conversation);
    const { originals } = conversation;
    const edited = [...originals.keys()].filter((id) => !isUnchanged(before.get(id), now.get(id)));
    const messageIds = edited.filter((id) => !originals.get(id)?.isAnswer);
    if (messageIds.length > 0) run.emit({ type: 'edit-dropped', phase, messageIds });
    for (const id of edited) changedIn(conversation).add(id);
    return verdict;
  };
  const runWatched: Plan['run'] = (phase, ...given) =>
    phase === 'outputStream' || !plan.has(phase) ? plan.run(phase, ...given) : watched(phase, ...given);
  return {
    plan: { ...plan, run: runWatched },
    read: (): LateEdit[] => {
      const conversation = conversationOf();
      const messages = messagesOf(run, conversation);
      return [...changedIn(conversation)].flatMap((id): LateEdit[] => {
        const original = conversation.originals.get(id);
        return original?.isAnswer ? [{ before: original.parts, after: messages.get(id)?.content.parts }] : [];
      });
    },
  };
};

/** Fields without a value may be missing. */
const isUnchanged = (before: object | undefined, now: object | undefined): boolean =>
  before === now || JSON.stringify(before) === JSON.stringify(now);
