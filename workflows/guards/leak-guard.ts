import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { readingsOf, responseMessages, textsOf } from '../messages/message-text.js';
import { parseAllowList } from '../pii/allow-list.js';
import { countKinds, findPii, type PiiKind, type PiiSpan } from '../pii/find-pii.js';
import type { PiiOptions } from '../pii/pii-finder.js';
import { readTail, type TailJudge } from '../stream/text-tail.js';
import { block, judgeWith, type Detection } from './detection.js';
import type { GuardOptions, GuardProcessor } from './guard-options.js';

export interface LeakGuardOptions extends GuardOptions, PiiOptions {
  /** What must not be shown. Default: `email`, `card`, `iban`, `ssn`, `phone`. */
  kinds?: readonly PiiKind[];
  /**
   * What may be shown all the same: an address (`jane@example.com`), a mailbox at any domain (`support@`), a domain with all its
   * mailboxes (`example.com`), or a number in any notation. Default: nothing.
   */
  allow?: readonly string[];
}

/** What the tripwire is told; never a value. */
export interface LeakMetadata {
  /** Kinds found, and how many of each. */
  found: Partial<Record<PiiKind, number>>;
}

/**
 * A guard (id `leak`) that blocks an answer with somebody's address or number in it, in the stream, after each step and at the
 * end. Only text is read, not reasoning and not tool arguments.
 *
 * In a stream a value is found when its last piece comes, also where it was cut over several deltas of a text; the pieces
 * before it have left by then. An address that more text could turn into an allowed one is judged when the text goes on or ends.
 */
export const leakGuard = (
  options: LeakGuardOptions = {},
): GuardProcessor<'processOutputStream' | 'processOutputStep' | 'processOutputResult', LeakMetadata> => {
  const { kinds = ['email', 'card', 'iban', 'ssn', 'phone'], allow = [] } = options;
  const allowed = parseAllowList(allow);
  const watched: TailJudge<PiiSpan> = {
    find: (text) => findPii(text, kinds, options),
    isAllowed: allowed.has,
    mayBecomeAllowed: allowed.mayHave,
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
    const leaks = readings.map((reading) =>
      watched.find(reading).filter(({ start, end }) => !allowed.has(reading.slice(start, end))),
    );
    return detectionOf(leaks.find((spans) => spans.length > 0) ?? []);
  };
  return Object.assign(guard, {
    processOutputStream: async (args) => {
      const detection = detectionOf(readTail(args.state, args.part, watched));
      return detection ? block(detection, args) : args.part;
    },
    processOutputStep: (args) => judge(inAnswer(args.messages, args.text), args),
    processOutputResult: (args) => judge(inAnswer(args.messages), args),
  } satisfies Partial<Processor<string, LeakMetadata>>);
};

const detectionOf = (leaks: readonly PiiSpan[]): Detection<LeakMetadata> | undefined =>
  leaks.length > 0
    ? { reason: 'The answer contains personal data of somebody.', metadata: { found: countKinds(leaks) } }
    : undefined;
