import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

import { startOpenAIServer } from '../../src/testing/index.js';

/** The text in the model's first answer that a guard rejects. */
export const forbidden = 'FORBIDDEN-WORDS';

/** The prompts for the clerk. */
export const prompts = { charge: 'Please charge me.', refund: 'Please pay me back.', die: 'Please die.' } as const;

/** An effect of a tool. */
export interface SinkEffect {
  readonly name: string;
  readonly amount: number;
  /** The key of the call with the effect. */
  readonly key: string;
}

/** The model and the sink, in a process that is never killed. */
export const startOutside = async () => {
  const effects: SinkEffect[] = [];
  let hold: ((effect: SinkEffect) => Promise<void>) | undefined;
  const model = await startOpenAIServer({
    reply: ({ messages }) => {
      const prompt = JSON.stringify(messages);
      if (messages.some(({ role }) => role === 'tool')) return { kind: 'text', text: 'All is paid.' };
      if (prompt.includes(prompts.die)) return { kind: 'tool-calls', text: '', calls: [{ name: 'die', args: {} }] };
      if (prompt.includes(prompts.refund))
        return { kind: 'tool-calls', text: '', calls: [{ name: 'refund', args: { amount: 3 } }] };
      if (!prompt.includes('Processor Feedback')) return { kind: 'text', text: forbidden };
      return { kind: 'tool-calls', text: 'I charge. ', calls: [1, 2].map((amount) => ({ name: 'charge', args: { amount } })) };
    },
  });
  const sink = createServer((request, response) => {
    const count = async (): Promise<void> => {
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
