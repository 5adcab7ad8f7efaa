import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { isRecord } from '../../phase/plain-data.js';
import type { PlainMessage } from './plain-message.js';

/** What stands in the examples, and is found again in what Mastra makes of them. */
const marks = { text: 'An example.', createdAt: 1_111_111_111_111 } as const;

/** The kinds of messages that are one text: that is all there is to tell them apart. */
const kinds = (['user', 'assistant'] as const).flatMap((role) => [
  { role, text: marks.text, createdAt: marks.createdAt },
  { role, text: marks.text, createdAt: undefined },
]) satisfies PlainMessage[];

const examples = kinds.map(({ role, text, createdAt }, index): MastraDBMessage => ({
  id: `example-${index}`,
  role,
  createdAt: new Date(0),
  content: { format: 2, parts: [{ type: 'text', text, ...(createdAt !== undefined && { createdAt }) }] },
}));

/**
 * Has Mastra convert an example of each kind of message that is one text, and converts others of the kind likewise: with their
 * words and times where the example's stand. Gives nothing where Mastra makes something else of the examples than one message of each.
 */
export const learnExamples = async <Message extends { readonly role: string }>(
  convert: (messages: readonly MastraDBMessage[]) => Promise<readonly Message[]>,
): Promise<((message: PlainMessage) => Message) | undefined> => {
  const made = await convert(examples);
  const isLearnt = made.length === kinds.length && made.every((one, index) => isOf(one, kinds[index]?.role));
  if (!isLearnt) return undefined;
  const placeOf = ({ role, createdAt }: PlainMessage) => (role === 'user' ? 0 : 2) + (createdAt === undefined ? 1 : 0);
  return (message) => fill(made[placeOf(message)], message) as Message; // of the example's shape
};

const isOf = (message: { readonly role: string }, role: string | undefined): boolean =>
  message.role === role && JSON.stringify(message).split(marks.text).length === 2;

const fill = (value: unknown, message: PlainMessage): unknown => {
  if (value === marks.text) return message.text;
  if (value === marks.createdAt) return message.createdAt;
  if (Array.isArray(value)) return value.map((one) => fill(one, message));
  if (!isRecord(value)) return value;
  const made = { ...value };
  for (const name in made) made[name] = fill(made[name], message);
  return made;
};
