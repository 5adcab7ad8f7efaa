import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { createPace, finding, inTurn, paced } from '../../src/guard/in-steps.js';
import { whenReady } from '../../src/phase/awaitable.js';
import { readingsOf, responseMessages, textsOf } from '../messages/message-text.js';
import { combineFinders, countKinds } from '../patterns/combine-finders.js';
import { findersOf, type ValueKindOptions } from '../patterns/value-kinds.js';
import { parseAllowList, withoutAllowed } from '../pii/allow-list.js';
import { piiKinds, type PiiKind } from '../pii/find-pii.js';
import { idCountries } from '../patterns/kinds/national-id.js';
import { judgeWith } from './detection.js';
import { traitsOf, type GuardOptions, type GuardProcessor } from './guard-options.js';
import { streamHooks, type ValuePolicy } from './value-hooks.js';
import { aName, aText, listOf, oneOf } from '../../src/option-kind.js';
import { checkOptions, sharedKinds, type KindsOf } from './check-options.js';

export interface LeakGuardOptions extends GuardOptions, ValueKindOptions {
  /** The kinds that must not be shown. Default: `email`, `card`, `iban`, `ssn`, `phone`. */
  kinds?: readonly PiiKind[];
  /**
   * Allowed values: an address (`jane@example.com`), a mailbox at any domain (`support@`), a domain with all its
   * mailboxes (`example.com`), or a number in any notation. Default: none.
   */
  allow?: readonly string[];
}

/** Metadata of the tripwire; never a value. */
export interface LeakMetadata {
  /** The number of findings by kind. */
  found: Partial<Record<PiiKind, number>>;
}

const optionKinds: KindsOf<LeakGuardOptions> = {
  ...sharedKinds,
  kinds: listOf(oneOf(...piiKinds)),
  allow: listOf(aText),
  defaultCountry: aName,
  countries: listOf(oneOf(...idCountries)),
};

/**
 * A guard (id `leak`) that blocks an answer with a personal address or number, in the stream, after each step and at the end. In
 * the stream it also reads reasoning and the arguments of tool calls, and buffers text that may be the start of a value: no
 * piece of one leaves, however the stream is cut.
 */
export const leakGuard = (
  options: LeakGuardOptions = {},
): GuardProcessor<'processOutputStream' | 'processOutputStep' | 'processOutputResult', LeakMetadata> => {
  checkOptions('leak', options, optionKinds);
  const { kinds = ['email', 'card', 'iban', 'ssn', 'phone'], allow = [] } = options;
  const policy: ValuePolicy<PiiKind, LeakMetadata> = {
    finder: withoutAllowed(combineFinders(findersOf(kinds, options)), parseAllowList(allow)),
    effect: 'block',
    replacement: () => '',
    detection: (found) => ({
      reason: 'The answer contains personal data of a person.',
      metadata: { found: countKinds(found) },
    }),
  };
  const guard: Processor<string, LeakMetadata> = {
    id: options.id ?? 'leak',
    name: 'Leak',
    description: `Blocks answers that contain ${kinds.join(', ')}.`,
    onViolation: options.onViolation,
  };
  const judge = judgeWith<LeakMetadata>(guard, 'block');
  const inAnswer = (messages: readonly MastraDBMessage[], text = '') => {
    const readings = [...readingsOf(responseMessages(messages).flatMap(textsOf)), text];
    const pace = createPace();
    return whenReady(
      inTurn(readings, (reading) => paced(finding(policy.finder, reading), pace)),
      (found) => {
        const leaks = found.find((spans) => spans.length > 0);
        return leaks && policy.detection(leaks, 'answer');
      },
    );
  };
  return Object.assign(guard, { traits: traitsOf.block }, streamHooks(policy, guard), {
    processOutputStep: (args) => whenReady(inAnswer(args.messages, args.text), (detection) => judge(detection, args)),
    processOutputResult: (args) => whenReady(inAnswer(args.messages), (detection) => judge(detection, args)),
  } satisfies Partial<Processor<string, LeakMetadata>>);
};
