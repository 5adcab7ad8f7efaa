import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';

import { InterlockError } from '../../src/errors.js';
import type { GuardTraits } from '../../src/guard/traits.js';
import { newestUserTurn, responseMessages, textOf } from '../messages/read-messages.js';
import { createPace, paced, type Steps } from '../../src/guard/in-steps.js';
import { type Awaitable, whenReady, attempted } from '../../src/phase/awaitable.js';
import {
  block,
  type Detection,
  judgeWith,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  retrying,
  traitsOf,
  guardForm,
} from './guard-options.js';
import { aName, listOf, needed, numberFrom, oneOf } from '../../src/option-kind.js';
import { eachCharacter, rememberKinds, letter } from '../text/characters.js';

export interface ScriptGuardOptions extends GuardOptions {
  /** The allowed scripts, by their Unicode names, such as `'Latin'`, `'Cyrillic'`, `'Han'`. */
  readonly scripts: readonly string[];
  /** The allowed share of letters of other scripts, 0 to 1: names and quotations. Default 0.2. */
  readonly maxForeignShare?: number;
  /** Texts of fewer letters pass. Default 12. */
  readonly minLetters?: number;
  /** Default `'block'`. For answers, `'retry'` requests another attempt first. */
  readonly strategy?: JudgeStrategy | 'retry';
}

/** Metadata of the tripwire and of `onViolation`. */
export interface ScriptMetadata {
  readonly scripts: readonly string[];
  /** The share of letters of other scripts, 0 to 1. */
  readonly foreignShare: number;
}

export const form = guardForm<ScriptGuardOptions>(['script', 'Script'], {
  scripts: needed(listOf(aName)),
  maxForeignShare: numberFrom(0, 1),
  minLetters: numberFrom(0),
  strategy: oneOf('block', 'warn', 'retry'),
});

/**
 * A guard (id `script`) for the language of input and answers, detected by script: cheap and reliable for languages with their
 * own script, and unable to distinguish languages that share one. Use Mastra's `LanguageDetector` for those.
 *
 * Raises `guard/invalid-option` for a script that Unicode does not define.
 */
export const scriptGuard = (options: ScriptGuardOptions): GuardProcessor<'processInput' | 'processOutputStep'> => {
  form.check(options);
  const { scripts, maxForeignShare = 0.2, minLetters = 12, strategy = 'block', id = 'script' } = options;
  const unknown = scripts.find((script) => !isScript(script));
  if (scripts.length === 0 || unknown !== undefined)
    throw new InterlockError('guard/invalid-option', { path: `${id}.scripts`, detail: `unknown script: ${unknown ?? ''}.` });
  const guard = form.open<ScriptMetadata>(options, `Allows only these scripts: ${scripts.join(', ')}.`);
  const judge = judgeWith<ScriptMetadata>(guard, strategy === 'warn' ? 'warn' : 'block');
  const counting = letterCounter(scripts);
  const detectionOf = (messages: readonly MastraDBMessage[], place: string): Awaitable<Detection<ScriptMetadata> | undefined> =>
    whenReady(paced(counting(messages.map(textOf).join('\n')), createPace()), ({ letters, foreign }) => {
      const share = letters === 0 ? 0 : foreign / letters;
      if (share <= maxForeignShare || letters < minLetters) return undefined;
      return { reason: `The ${place} is not written in ${scripts.join(' or ')}.`, metadata: { scripts, foreignShare: share } };
    });
  const traits: GuardTraits = strategy === 'retry' ? retrying : traitsOf[strategy];
  return Object.assign(guard, { traits }, {
    processInput: (args) => whenReady(detectionOf(newestUserTurn(args.messages), 'input'), (detection) => judge(detection, args)),
    processOutputStep: (args) =>
      whenReady(detectionOf(responseMessages(args.messages).slice(-1), 'answer'), (detection) => {
        if (!detection || strategy !== 'retry') return judge(detection, args);
        return args.retryCount > 0
          ? block(detection, args)
          : args.abort(detection.reason, { retry: true, metadata: detection.metadata });
      }),
  } satisfies Partial<Processor<string, ScriptMetadata>>);
};

/** The letters of a text, and those in none of the requested scripts. */
interface LetterCount {
  readonly letters: number;
  readonly foreign: number;
}

const [other, own, foreign] = [0, 1, 2];

/** Counts letters of other scripts than these. Letters of no single script do not count. */
const letterCounter = (scripts: readonly string[]): ((text: string) => Steps<LetterCount>) => {
  const ownScript = new RegExp(`[${scripts.map((script) => `\\p{scx=${script}}`).join('')}\\p{sc=Zyyy}]`, 'u');
  const kindOf = rememberKinds((character) => {
    if (!letter().test(character)) return other;
    return ownScript.test(character) ? own : foreign;
  });
  return function* (text) {
    const counts = [0, 0, 0];
    yield* eachCharacter(text, (code) => {
      const kind = kindOf(code);
      counts[kind] = (counts[kind] ?? 0) + 1;
    });
    return { letters: (counts[own] ?? 0) + (counts[foreign] ?? 0), foreign: counts[foreign] ?? 0 };
  };
};

/** Whether the engine supports the script, by its Unicode name or code such as `Latin` or `Latn`. */
const isScript = (name: string): boolean => attempted(() => new RegExp(`\\p{scx=${name}}`, 'u')) !== undefined;
