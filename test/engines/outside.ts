import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

import { startOpenAIServer, type OpenAIServerOptions } from '../../src/testing/index.js';

/** The text in the model's first answer that a guard rejects. */
export const forbidden = 'FORBIDDEN-WORDS';

/** The prompts for the clerk. */
export const prompts = {
  charge: 'Please charge me.',
  refund: 'Please pay me back.',
  die: 'Please die.',
  delegate: 'Please have me charged.',
  number: 'Please tell me the number.',
  insult: 'Please insult me.',
  ship: 'Please ship it.',
  count: 'Please count.',
} as const;

/** The words of an answer that ends the run. */
export const insult = 'INSULTING-WORDS';

/** The clerk's request to its sub-agent. */
const delegated = 'A charge, please.';

type Reply = Extract<OpenAIServerOptions['reply'], (...args: never[]) => unknown>;

/** The model: each answer follows from the conversation, so that a repeated call gets the same one. */
const reply: Reply = (request) => ({ ...replyTo(request), usage: { inputTokens: 10, outputTokens: 5 } });

const replyTo = ({ messages }: Pick<Parameters<Reply>[0], 'messages'>) => {
  const asks = (prompt: string) =>
    messages.some(({ role, content }) => role === 'user' && JSON.stringify(content).includes(prompt));
  const charges = (...amounts: number[]) =>
    amounts.map((amount) => ({ id: `charge${amount}`, name: 'charge', args: { amount } }));
  if (messages.some(({ role }) => role === 'tool')) return { kind: 'text' as const, text: 'All is paid.', chunks: 3 };
  if (asks(prompts.die)) return { kind: 'tool-calls' as const, text: '', calls: [{ name: 'die', args: {} }] };
  if (asks(prompts.ship))
    return { kind: 'tool-calls' as const, text: 'I ship. ', calls: [{ id: 'ship7', name: 'ship', args: { amount: 7 } }] };
  if (asks(prompts.refund))
    return { kind: 'tool-calls' as const, text: '', calls: [{ id: 'refund3', name: 'refund', args: { amount: 3 } }] };
  if (asks(delegated)) return { kind: 'tool-calls' as const, text: '', calls: charges(4) };
  if (asks(prompts.delegate))
    return {
      kind: 'tool-calls' as const,
      text: 'I ask. ',
      calls: [{ id: 'ask', name: 'agent-helper', args: { prompt: delegated } }],
    };
  if (asks(prompts.number)) return { kind: 'text' as const, text: 'The number is 123456.', chunks: 8 };
  if (asks(prompts.count)) return { kind: 'text' as const, text: '{"parcels":["seven","eight"],"total":"fifteen"}', chunks: 6 };
  if (asks(prompts.insult)) return { kind: 'text' as const, text: `You are ${insult}.`, chunks: 4 };
  if (!JSON.stringify(messages).includes('Processor Feedback')) return { kind: 'text' as const, text: forbidden };
  return { kind: 'tool-calls' as const, text: 'I charge. ', calls: charges(1, 2) };
};

/** An effect of a tool. */
export interface SinkEffect {
  readonly name: string;
  readonly amount: number;
  /** The key of the call with the effect. */
  readonly key: string;
}

/** Reads the effects of all tools, as a person reads a ledger. */
export const shippedAt = (sinkUrl: string) => async (): Promise<readonly SinkEffect[]> =>
  (await (await fetch(sinkUrl)).json()) as readonly SinkEffect[];

/** The model and the sink, in a process that is never killed. */
export const startOutside = async ({ delayMs }: Pick<OpenAIServerOptions, 'delayMs'> = {}) => {
  const effects: SinkEffect[] = [];
  let hold: ((effect: SinkEffect) => Promise<void>) | undefined;
  const model = await startOpenAIServer({ reply, delayMs });
  const sink = createServer((request, response) => {
    const count = async (): Promise<void> => {
      if (request.method === 'GET') return void response.end(JSON.stringify(effects));
      const effect = JSON.parse(await readText(request)) as SinkEffect;
      effects.push(effect);
      await hold?.(effect);
      response.end();
    };
    void count();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  return {
    modelUrl: model.baseUrl,
    sinkUrl: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`,
    effects,
    /** Runs `act` after a tool's effect, before the tool gets the response. */
    holdWith: (act: typeof hold) => {
      hold = act;
    },
    close: async () => {
      await model.close();
      sink.closeAllConnections();
      sink.close();
    },
  };
};
