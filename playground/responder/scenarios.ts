import type { Reply } from '../../src/testing/index.js';
import type { Conversation } from './conversation.js';

/** A scenario of the responder: its trigger, its effect, and its answer. */
export interface Scenario {
  /** An example input. */
  readonly example: string;
  /** The visible effect. */
  readonly shows: string;
  readonly matches: (userText: string) => boolean;
  readonly reply: (conversation: Conversation) => Reply;
}

/** Characters per delta: few, so that a value spans several deltas. */
const charsPerDelta = 4;

const textReply = (text: string): Reply => ({ kind: 'text', text, chunks: charsPerDelta });

const orderIn = (userText: string): string | undefined => /\border\D{0,12}(\d+)/i.exec(userText)?.[1];

const wantsRefund = (userText: string): boolean => /\brefund\b/i.test(userText) && orderIn(userText) !== undefined;

const reasonIn = (userText: string): string => /\bbecause\s+(.+?)[.!]?$/i.exec(userText)?.[1] ?? 'the customer asked for it';

const call = ({ offers }: Conversation, name: string, args: Record<string, string>): Reply =>
  offers(name)
    ? { kind: 'tool-calls', calls: [{ name, args, fragments: 4 }] }
    : textReply(`The tool ${name} is not available in this step, so I cannot look up order ${args['orderId']}.`);

/** In order of precedence. */
export const scenarios: readonly Scenario[] = [
  {
    example: 'refund order 1042',
    shows: 'a tool that changes data',
    matches: wantsRefund,
    reply: (conversation) =>
      call(conversation, 'refund-order', {
        orderId: orderIn(conversation.userText) ?? '',
        reason: reasonIn(conversation.userText),
      }),
  },
  {
    example: 'where is my order 1042?',
    shows: 'a tool call, and a response from its result',
    matches: (userText) => orderIn(userText) !== undefined,
    reply: (conversation) => call(conversation, 'lookup-order', { orderId: orderIn(conversation.userText) ?? '' }),
  },
  {
    example: 'leak',
    shows: 'a response with an e-mail address and a card number',
    matches: (userText) => /\bleak|\be-?mail of the manager\b|\bmanager's e-?mail\b/i.test(userText),
    reply: () =>
      textReply(
        'Of course. You can write to the manager, Dana Whitfield, at dana.whitfield@example.com, and the card that we have on ' +
          'file for you is 4111 1111 1111 1111. Please keep both to yourself.',
      ),
  },
  {
    example: 'short',
    shows: 'a retry: a poor response, and a better one after feedback',
    matches: (userText) => /\b(?:short|brief)\b/i.test(userText),
    reply: ({ hasFeedback }) =>
      textReply(
        hasFeedback
          ? 'Thank you for the feedback. Returns are free within 30 days of delivery: open the order, choose "Return an item", ' +
              'print the label, and the money is back within five working days of the parcel reaching us.'
          : 'ok.',
      ),
  },
  {
    example: 'hang',
    shows: 'a response that never ends: press Stop',
    matches: (userText) => /\bhang\b/i.test(userText),
    reply: () => ({ kind: 'hang', after: ['One ', 'mom', 'ent', ', pl', 'ease', ' …'] }),
  },
  {
    example: 'fail',
    shows: 'a failed model call',
    matches: (userText) => /\bfail\b/i.test(userText),
    reply: () => ({ kind: 'error', status: 400, message: 'The local responder rejected this request to simulate a failure.' }),
  },
];

/** The answer to all other inputs; it repeats none of the input. */
export const introduction = (): Reply =>
  textReply(
    "This is Interlock's local responder, not a language model. It gives prepared responses, so that you can watch the guards " +
      `without an API key. Try:\n${scenarios.map(({ example, shows }) => `- ${example} (${shows})`).join('\n')}\n` +
      'All other messages get this response.',
  );
