import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';

import { scriptedModel } from '../../src/testing/index.js';
import { partsOf } from '../../src/testing/scripted-parts.js';
import { halves, type ModelReply, type Script } from './script.js';

type Version = 'v2' | 'v4';
type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** A step of the scripted model, with its stream parts. */
const stepOf = (
  { reasoning, text, calls, fragments, end, ...reply }: ModelReply,
  { id, version }: { id: string; version: Version },
) => {
  if (end === 'refusal') return { error: new Error('The provider is out of order.') };
  const parts = partsOf(
    {
      reasoning: reasoning.map((word) => `${word}. `),
      text,
      toolCalls: calls.map((note, index) => ({ id: `${id}-${index}`, ...callOf(note, index), fragments })),
      ...(end === 'length' && { finishReason: end }),
    },
    { version, modelId: 'model', index: 0 },
  );
  const { hosted, others } = extrasOf(reply, { id, version });
  const made = before(/^tool-|^finish$/, before(/^text-|^tool-|^finish$/, parts, hosted), others);
  const isWhole = end === 'finish' || end === 'length';
  return {
    parts: inTwo(made, isBlank(text.join('').slice(reply.partAt)) ? undefined : reply.partAt).filter(
      ({ type }) => isWhole || type !== 'finish',
    ) as never, // parts of the version
    ...(end === 'break' && { error: new Error('The provider broke off.') }),
  };
};

const isBlank = (text: string): boolean => text.trim() === '';

const before = (at: RegExp, parts: readonly Part[], added: readonly Part[]): readonly Part[] => {
  const first = parts.findLastIndex(({ type }) => type === 'tool-result') + 1;
  return parts.toSpliced(first + parts.slice(first).findIndex(({ type }) => at.test(type)), 0, ...added);
};

/** The parts of a call that the provider runs, and its other content. */
const extrasOf = (
  { file, source, hosted }: Pick<ModelReply, 'file' | 'source' | 'hosted'>,
  { id, version }: { id: string; version: Version },
): { readonly hosted: readonly Part[]; readonly others: readonly Part[] } => {
  const web = { toolCallId: `web-${id}`, toolName: 'web', providerExecuted: true, dynamic: true };
  const base64 = Buffer.from(`${file}. `).toString('base64');
  const source1 = { type: 'source', sourceType: 'url', id: `source-${id}`, url: 'https://example.org', title: `${source}. ` };
  const file1 = { type: 'file', mediaType: 'text/plain', data: version === 'v2' ? base64 : { type: 'data', data: base64 } };
  return {
    hosted: hosted
      ? [
          { type: 'tool-call', ...web, input: '{"q":"calm"}' },
          { type: 'tool-result', ...web, result: { found: hosted } },
        ]
      : [],
    others: [...(source ? [source1] : []), ...(file ? [file1] : [])],
  };
};

/** The name and arguments of a call, from its word. */
const callOf = (note: string, index: number): { name: string; args: unknown } => {
  if (note.startsWith('#')) return { name: 'charge', args: { index: note.slice(1), note: note.slice(1) } };
  return { name: note.startsWith('?') ? 'discharge' : 'charge', args: { index, note: note.replace('?', '') } };
};

/** The parts with their text in two, split after `at` characters. */
const inTwo = (parts: readonly Part[], at = Infinity): readonly Part[] => {
  let end = 0;
  return parts.flatMap((part) => {
    if (part.type === 'text-end') return [{ ...part, id: end > at ? 'text-1' : part['id'] }];
    if (part.type !== 'text-delta') return [part];
    const delta = String(part['delta']);
    const from = end;
    end += delta.length;
    if (from > at) return [{ ...part, id: 'text-1' }];
    if (end <= at) return [part];
    return [
      { ...part, delta: delta.slice(0, at - from) },
      { type: 'text-end', id: part['id'] },
      { type: 'text-start', id: 'text-1' },
      { ...part, id: 'text-1', delta: delta.slice(at - from) },
    ];
  });
};

export const inputSchema = z.object({ index: z.number(), note: z.string() });
export const description = 'Charges.';
/** The object of the last step's answer; durable runs store it. */
export const answerSchema = z.toJSONSchema(z.object({ said: z.string() }));

/** A host's own error about a call without a tool, or with arguments that do not fit it. */
export const invalidCall =
  /Tool input validation failed|AI_InvalidToolInputError|AI_NoSuchToolError|Tool "?discharge"? not found|unavailable tool/;

/** The texts, calls and results of a prompt. */
const textsIn = (prompt: readonly { role: string; content: unknown }[]): string[] =>
  prompt.flatMap(({ role, content }) =>
    role === 'system' ? [] : (content as readonly Record<string, unknown>[]).map((part) => `${role}: ${textOf(part)}`),
  );

/** A host may prefix a tool's error with its class. */
const textOf = ({ text, input, output, data }: Record<string, unknown>): string => {
  if (typeof text === 'string') return text;
  if (data) return fileText(data);
  const { value } = (output ?? { value: input }) as { value: unknown };
  const words = typeof value === 'string' ? value.replace(/^Error: /, '') : JSON.stringify(value);
  return invalidCall.test(words) ? 'The call is invalid.' : words;
};

/** The content of a text file, in one of the forms of a prompt. */
export const fileText = (data: unknown): string => {
  const held = (data as { data?: unknown }).data ?? data;
  return typeof held === 'string' ? Buffer.from(held, 'base64').toString() : Buffer.from(held as Uint8Array).toString();
};

/** The model's output in a step: in the last one with an object if requested. */
const replyIn = ({ requestsObject, spills }: Script, reply: ModelReply, isClosing: boolean): ModelReply => {
  const [opening, rest] = spills ? halves : [];
  const words = reply.text.map((word) => `${word}. `);
  if (!isClosing) return { ...reply, text: opening ? [...words, opening] : words };
  const text = [...(rest ? [`${rest}. `] : []), ...words, 'End. '];
  return { ...reply, text: requestsObject ? ['{"said":"', ...text, '"}'] : text };
};

/** The model, the effects of its tools, and the records of both. */
export const worldOf = <V extends Version>(script: Script, specificationVersion: V) => {
  const { opening, closing, receipts, rounds } = script;
  const requestCounts: number[] = [];
  const effects: string[] = [];
  const model = scriptedModel<V>({
    specificationVersion,
    steps: ({ prompt, index }) => {
      const round = prompt.filter(({ role }) => role === 'tool').length;
      const isClosing = opening.length === 0 || round >= rounds;
      const attempts = isClosing ? closing : opening;
      const attempt = requestCounts[round] ?? 0;
      requestCounts[round] = attempt + 1;
      const reply = attempts[attempt] ?? attempts.at(-1);
      if (!reply) throw new RangeError('A script has something to say.');
      return stepOf(replyIn(script, reply, isClosing), { id: `call-${index}`, version: specificationVersion });
    },
  });
  const execute = async ({ index, note }: { index: number; note: string }) => {
    effects.push(`${index} ${note}`);
    await setImmediate(); // long enough for the other call to start
    const receipt = receipts[index] ?? 'calm';
    if (receipt.startsWith('!')) throw new Error(receipt.slice(1));
    return { receipt };
  };
  return {
    model,
    execute,
    seen: () => ({ effects: effects.toSorted(), prompts: model.calls.map(({ prompt }) => textsIn(prompt)) }),
  };
};
