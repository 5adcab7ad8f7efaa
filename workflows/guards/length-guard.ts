import type { ProcessLLMRequestArgs } from '@mastra/core/processors';
import { isSame } from '../../src/phase/plain-data.js';
import { newestUserTurn, textOf } from '../messages/read-messages.js';
import { block, traitsOf, unchanged, type GuardOptions, type GuardProcessor, guardForm } from './guard-options.js';
import { numberFrom, wholeNumberFrom } from '../../src/option-kind.js';

export interface LengthGuardOptions extends GuardOptions {
  /** The maximum length of the user's newest turn, in UTF-16 units. Default 20,000. */
  maxChars?: number;
  /** The minimum length, in UTF-16 units without surrounding white space. Default 0, which allows an empty input. */
  minChars?: number;
  /**
   * The maximum length of a tool's result in a prompt, in UTF-16 units, at least 100. Of a longer one the model gets the head, a note with the
   * number of characters left out, and the tail; messages, streams and memory keep it whole. Default: no limit.
   */
  maxResultChars?: number;
}

/** Metadata of the tripwire. */
export interface LengthMetadata {
  /** The length of the input, in UTF-16 units. */
  chars: number;
  minChars: number;
  maxChars: number;
}

export const form = guardForm<LengthGuardOptions>(['length', 'Length'], {
  maxChars: numberFrom(0),
  minChars: numberFrom(0),
  maxResultChars: wholeNumberFrom(100),
});

/**
 * A guard (id `length`) that blocks if the user's newest turn is too long or too short. Only text counts; input without a
 * user turn passes. With `maxResultChars` it also shortens what the model reads of tools' results.
 */
export const lengthGuard = (options: LengthGuardOptions = {}): GuardProcessor<'processInput'> => {
  form.check(options);
  const { maxChars = 20_000, minChars = 0, maxResultChars } = options;
  return {
    ...form.open(options, `Blocks input under ${minChars} or over ${maxChars} characters.`),
    traits: maxResultChars === undefined ? traitsOf.block : traitsOf.redact,
    ...(maxResultChars !== undefined && {
      processLLMRequest: ({ prompt }: ProcessLLMRequestArgs) => shortened(prompt, maxResultChars),
    }),
    processInput: (args) => {
      const turn = newestUserTurn(args.messages);
      if (turn.length === 0) return unchanged;
      const text = turn.map(textOf).join('\n');
      const metadata: LengthMetadata = { chars: text.length, minChars, maxChars };
      if (text.length > maxChars) return block({ reason: `The input is longer than ${maxChars} characters.`, metadata }, args);
      if (text.trim().length < minChars)
        return block({ reason: `The input is shorter than ${minChars} characters.`, metadata }, args);
      return unchanged;
    },
  };
};

type Prompt = ProcessLLMRequestArgs['prompt'];

/** A prompt with shorter results; undefined if all are short enough. */
const shortened = (prompt: Prompt, maxChars: number): { prompt: Prompt } | undefined => {
  let isChanged = false;
  const messages = prompt.map((message) => {
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) => {
      const output = part.type === 'tool-result' ? shorterOutput(part.output, maxChars) : undefined;
      isChanged ||= output !== undefined;
      return output === undefined ? part : { ...part, output };
    });
    return { ...message, content };
  });
  return isChanged ? { prompt: messages as Prompt } : undefined; // the parts keep their types
};

/** The shorter form of a result for the model; undefined if it is short enough. */
const shorterOutput = (given: unknown, maxChars: number): object | undefined => {
  const output = given as { readonly type: string; readonly value?: unknown };
  const { type, value } = output;
  if (type === 'content' && Array.isArray(value)) {
    const parts = value.map((part: { text?: unknown }) => ({ ...part, ...shorterText(part.text, maxChars) }));
    return isSame(parts, value) ? undefined : { ...output, value: parts };
  }
  const text = shorterText(typeof value === 'string' ? value : JSON.stringify(value), maxChars)?.text;
  return text === undefined ? undefined : { ...output, type: type.replace('json', 'text'), value: text };
};

/** Two thirds of the length are for the beginning, a third for the end, because errors and sums come last. */
const shorterText = (text: unknown, maxChars: number): { readonly text: string } | undefined => {
  if (typeof text !== 'string' || text.length <= maxChars) return undefined;
  const tail = Math.floor(maxChars / 3);
  const note = `\n[… ${text.length - maxChars} of ${text.length} characters are left out; ask for a smaller part if they are needed …]\n`;
  return { text: `${text.slice(0, maxChars - tail)}${note}${text.slice(-tail)}`.toWellFormed() };
};
