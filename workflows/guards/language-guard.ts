import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { aName, instanceWith, listOf, needed, numberFrom } from '../../src/option-kind.js';
import { newestUserTurn, responseMessages, textOf } from '../messages/read-messages.js';
import {
  judgeStrategies,
  guardForm,
  traitsOf,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  judgeWith,
  type Detection,
} from './guard-options.js';
import { letterCount } from '../text/characters.js';

/** A language detector: `eld` fits unchanged (`import { eld } from 'eld/medium'`). */
export interface LanguageDetector {
  detect(text: string): { readonly language: string; isReliable?(): boolean };
}

export interface LanguageGuardOptions extends GuardOptions {
  /** Codes of the languages that may be written, such as `en`. */
  readonly languages: readonly string[];
  /** The language detector, such as `eld` of the package `eld`. */
  readonly detector: LanguageDetector;
  /** Texts of fewer letters pass. Default 20. */
  readonly minLetters?: number;
  /** Default `'block'`. */
  readonly strategy?: JudgeStrategy;
}

/** Metadata of the tripwire and of `onViolation`. */
export interface LanguageMetadata {
  readonly language: string;
}

const form = guardForm<LanguageGuardOptions>(['language', 'Language'], {
  languages: needed(listOf(aName)),
  detector: needed(instanceWith('detect', 'an object with a method `detect`')),
  minLetters: numberFrom(0),
  strategy: judgeStrategies,
});

/** The maximum length of text for detection. */
const maxChars = 4096;

/**
 * A guard (id `language`) for the language of the user's newest turn and of answers. It passes short texts, and texts whose
 * language the detector is not sure about. Put it after `unicodeGuard`, and before guards with phrases in one language.
 */
export const languageGuard = (options: LanguageGuardOptions): GuardProcessor<'processInput' | 'processOutputStep'> => {
  form.check(options);
  const { languages, detector, minLetters = 20, strategy = 'block' } = options;
  const guard = form.open<LanguageMetadata>(options, `Allows only these languages: ${languages.join(', ')}.`);
  const judge = judgeWith<LanguageMetadata>(guard, strategy);
  const detectionOf = (messages: readonly MastraDBMessage[], place: string): Detection<LanguageMetadata> | undefined => {
    const text = messages.map(textOf).join('\n').slice(0, maxChars);
    if (letterCount(text) < minLetters) return undefined;
    const found = detector.detect(text);
    if (found.language === '' || languages.includes(found.language) || found.isReliable?.() === false) return undefined;
    return { reason: `The ${place} is not written in ${languages.join(' or ')}.`, metadata: { language: found.language } };
  };
  return Object.assign(guard, { traits: traitsOf[strategy] }, {
    processInput: (args) => judge(detectionOf(newestUserTurn(args.messages), 'input'), args),
    processOutputStep: (args) => judge(detectionOf(responseMessages(args.messages).slice(-1), 'answer'), args),
  } satisfies Partial<Processor<string, LanguageMetadata>>);
};
