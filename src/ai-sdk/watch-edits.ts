import { copyPlain, isSame } from '../phase/plain-data.js';
import type { Plan } from '../pipeline/compile.js';
import type { StoredPart } from '../plain/stored-message.js';
import type { Conversation } from './conversation.js';
import { messagesOf, type LateEdit } from './recorded-steps.js';
import type { Run } from './run.js';

/** The changes of one conversation: another attempt has another one. */
interface Watched {
  readonly conversation: Conversation;
  readonly seen: Map<string, Seen | undefined>; // the messages after the last phase; undefined if they were removed
  readonly changed: Set<string>;
  isStale: boolean; // whether stream guards, or the loop, may have changed messages since then: those are no edits of the next phase
}

/** Records edits that a plan's guards make. Edits of the caller's messages have no effect, and are reported. */
export const watchEdits = (run: Run, plan: Plan, conversationOf: () => Conversation) => {
  let watched: Watched | undefined;
  const current = (): Watched => {
    const conversation = conversationOf();
    if (watched?.conversation === conversation) return watched;
    watched = { conversation, seen: new Map(conversation.originals), changed: new Set(), isStale: plan.has('outputStream') };
    return watched;
  };
  /** The ids of messages that changed since the last call. */
  const takeChanges = ({ conversation, seen }: Watched): string[] => {
    const messages = messagesOf(run, conversation);
    const ids: string[] = [];
    for (const [id, before] of seen) {
      const message = messages.get(id);
      const now = message && { role: message.role, parts: message.content.parts };
      if (isUnchanged(before, now)) continue;
      seen.set(id, copyPlain(now));
      ids.push(id);
    }
    return ids;
  };
  const judged: Plan['run'] = async (phase, data, scope) => {
    const own = current();
    if (own.isStale) takeChanges(own);
    own.isStale = false;
    const verdict = await plan.run(phase, data, scope);
    const messageIds = takeChanges(own);
    if (phase === 'apiError') return verdict; // it prepares the next prompt
    const callers = messageIds.filter((id) => !own.conversation.originals.get(id)?.isAnswer);
    if (callers.length > 0) run.emit({ type: 'edit-dropped', phase, messageIds: callers });
    for (const id of messageIds) own.changed.add(id);
    return verdict;
  };
  const runWatched: Plan['run'] = (phase, ...given) =>
    phase === 'outputStream' || !plan.has(phase) ? plan.run(phase, ...given) : judged(phase, ...given);
  return {
    plan: { ...plan, run: runWatched },
    forget: () => void (current().isStale = true),
    read: (): LateEdit[] => {
      const { conversation, changed } = current();
      if (changed.size === 0) return [];
      const messages = messagesOf(run, conversation);
      return [...changed].flatMap((id): LateEdit[] => {
        const original = conversation.originals.get(id);
        return original?.isAnswer ? [{ before: original.parts, after: messages.get(id)?.content.parts }] : [];
      });
    },
  };
};

interface Seen {
  readonly role: string;
  readonly parts: readonly StoredPart[];
}

/** Fields without a value may be missing. */
const isUnchanged = (before: Seen | undefined, now: Seen | undefined): boolean =>
  before?.role === now?.role &&
  (isSame(before?.parts, now?.parts) || JSON.stringify(before?.parts) === JSON.stringify(now?.parts));
