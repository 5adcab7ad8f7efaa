import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { copyPlain, isSame } from '../../phase/plain-data.js';
import { besideNames, emptyLike, fillList, insidesOf, isKnownInside, sourceNames, type ListInsides } from './list-insides.js';

/** What is known of a list that copies its messages from another as they are looked at. */
interface Loan {
  readonly lender: MessageList;
  /** By the lender's messages: the copies that were made so far. */
  readonly copies: Map<MastraDBMessage, MastraDBMessage>;
  /** Whether the list has not been looked into yet, so that only what was read of it is copied. */
  isOpen: boolean;
}

const loans = new WeakMap<MessageList, Loan>();

/**
 * A copy of a list that is made as it is looked at: nothing is copied until somebody reads messages, and only those that are
 * read, or all as soon as somebody looks into the list itself. Holds while the list that it was made of is not changed.
 */
export const lend = (list: MessageList): MessageList => {
  if (!loans.get(list)?.isOpen && !isKnownInside(list)) return copyAtOnce(list);
  const given = insidesOf(list);
  const lent = emptyLike(list, given);
  const beside: Partial<ListInsides> = { lastCreatedAt: given.lastCreatedAt };
  for (const name of besideNames) Object.assign(beside, { [name]: copyPlain(given[name]) });
  Object.assign(lent, beside);
  loans.set(lent, { lender: list, copies: new Map(), isOpen: true });
  fillWhenTouched(lent);
  return lent;
};

const copyAtOnce = (list: MessageList): MessageList => {
  const state = copyPlain(list.serialize());
  return fillList(emptyLike(list, state), state);
};

/** Whoever touches what the list keeps to itself, by whichever of its methods, finds everything there. */
const fillWhenTouched = (lent: MessageList): void => {
  const insides = insidesOf(lent);
  const own = { messages: insides.messages, stateManager: insides.stateManager };
  const fill = (): void => {
    const plain = { configurable: true, enumerable: true, writable: true };
    for (const name of ['messages', 'stateManager'] as const) Object.defineProperty(lent, name, { ...plain, value: own[name] });
    takeOver(lent);
  };
  for (const name of ['messages', 'stateManager'] as const)
    Object.defineProperty(lent, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        fill();
        return insides[name];
      },
      set: (value: never) => {
        fill();
        insides[name] = value;
      },
    });
};

/** Copies what has not been copied yet. */
const takeOver = (lent: MessageList): void => {
  const loan = loans.get(lent) as Loan; // a lent list has one
  loan.isOpen = false;
  const [own, given] = [insidesOf(lent), insidesOf(loan.lender)];
  for (const message of given.messages) own.messages.push(copyIn(loan, message));
  // What is noted there and stands in the list no more is nobody's to change.
  for (const name of sourceNames) for (const message of given[name]) own[name].add(loan.copies.get(message) ?? message);
};

const copyIn = ({ copies }: Loan, message: MastraDBMessage): MastraDBMessage => {
  const known = copies.get(message);
  if (known) return known;
  const copy = copyPlain(message);
  copies.set(message, copy);
  return copy;
};

/** Reads from a list that was not looked into yet: whose messages to copy, and the copy of each. Nothing for any other list. */
export const openLoan = (
  list: MessageList,
): { lender: MessageList; copyOf(message: MastraDBMessage): MastraDBMessage } | undefined => {
  const loan = loans.get(list);
  return loan?.isOpen ? { lender: loan.lender, copyOf: (message) => copyIn(loan, message) } : undefined;
};

/**
 * Whether a list that was lent holds what the other one does. Of one that nobody looked into, only what was read is compared.
 * False also where that cannot be told: for lists that the other one did not lend.
 */
export const isUnchanged = (lent: MessageList, list: MessageList): boolean => {
  const loan = loans.get(lent);
  if (loan?.lender !== list) return false;
  const [own, given] = [insidesOf(lent), insidesOf(list)];
  if (!besideNames.every((name) => isSame(own[name], given[name]))) return false;
  if (loan.isOpen) return [...loan.copies].every(([message, copy]) => isSame(message, copy));
  return isSame(own.messages, given.messages) && sourceNames.every((name) => isSame(idsIn(own[name]), idsIn(given[name])));
};

const idsIn = (messages: ReadonlySet<MastraDBMessage>): string[] => Array.from(messages, ({ id }) => id);
