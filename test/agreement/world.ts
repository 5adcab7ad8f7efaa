import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';

import { scriptedModel } from '../../src/testing/index.js';
import type { Saying, Script } from './script.js';

/** A step of the scripted model. */
const stepOf = ({ reasoning, text, calls, fragments, end }: Saying, id: string) => {
  if (end === 'refusal') return { error: new Error('The provider is out of order.') };
  const said = {
    reasoning: reasoning.map((word) => `${word}. `),
    text: text.map((word) => `${word}. `),
    toolCalls: calls.map((note, index) => ({ id: `${id}-${index}`, name: 'charge', args: { index, note }, fragments })),
  };
  if (end === 'break') return { ...said, error: new Error('The provider broke off.') };
  if (end === 'length') return { ...said, finishReason: 'length' as const };
  return end === 'cut' ? { parts: withoutFinish(said) } : said;
};

const withoutFinish = ({ reasoning, text, toolCalls }: Pick<Saying, 'reasoning' | 'text'> & { toolCalls: Call[] }): never => {
  const block = (type: string, deltas: readonly string[]) =>
    deltas.length === 0
      ? []
      : [
          { type: `${type}-start`, id: type },
          ...deltas.map((delta) => ({ type: `${type}-delta`, id: type, delta })),
          { type: `${type}-end`, id: type },
        ];
  return [
    { type: 'stream-start', warnings: [] },
    ...block('reasoning', reasoning),
    ...block('text', text),
    ...toolCalls.map(({ id, name, args }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(args),
    })),
  ] as never; // parts that each version of the interface has
};

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: { index: number; note: string };
}

export const inputSchema = z.object({ index: z.number(), note: z.string() });
export const description = 'Charges.';

/** The texts, calls and results of a prompt. */
const toldIn = (prompt: readonly { role: string; content: unknown }[]): string[] =>
  prompt.flatMap(({ role, content }) =>
    role === 'system' ? [] : (content as readonly Record<string, unknown>[]).map((part) => `${role}: ${toldOf(part)}`),
  );

/** A host may call a tool's error by its class. */
const toldOf = ({ text, input, output }: Record<string, unknown>): string => {
  if (typeof text === 'string') return text;
  const { value } = (output ?? { value: input }) as { value: unknown };
  return typeof value === 'string' ? value.replace(/^Error: /, '') : JSON.stringify(value);
};

/** The model, what it has the tools do, and what of both was seen. */
export const worldOf = <V extends 'v2' | 'v4'>({ opening, closing, receipts }: Script, specificationVersion: V) => {
  const asked = { opening: 0, closing: 0 };
  const effects: string[] = [];
  const model = scriptedModel<V>({
    specificationVersion,
    steps: ({ prompt, index }) => {
      const isClosing = opening.length === 0 || prompt.some(({ role }) => role === 'tool');
      const attempts = isClosing ? closing : opening;
      const attempt = asked[isClosing ? 'closing' : 'opening']++;
      const said = attempts[attempt] ?? attempts.at(-1);
      if (!said) throw new RangeError('A script has something to say.');
      const heard = isClosing ? { ...said, text: [...said.text, 'End'] } : said;
      return stepOf(heard, `call-${index}`);
    },
  });
  const execute = async ({ index, note }: { index: number; note: string }) => {
    effects.push(`${index} ${note}`);
    await setImmediate(); // long enough for the other call to begin
    const receipt = receipts[index] ?? 'calm';
    if (receipt.startsWith('!')) throw new Error(receipt.slice(1));
    return { receipt };
  };
  return {
    model,
    execute,
    seen: () => ({ effects: effects.toSorted(), prompts: model.calls.map(({ prompt }) => toldIn(prompt)) }),
  };
};
