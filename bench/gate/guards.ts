import type { Processor } from '@mastra/core/processors';
import { guard, type GuardPolicy } from '../../src/index.js';
import { redactor } from '../../workflows/index.js';
import { streamGuards } from '../guards.js';

/** How the guards of a measured line look at the stream. */
export const windowNames = ['chunk', 'sentence', 'part', 'pattern'] as const;
export type WindowName = (typeof windowNames)[number];

const kinds = ['email', 'card', 'iban'] as const;

/** Guards that let everything pass: with a window, or redactors, of which each looks for one kind of value that is not there. */
export const gateGuards = (window: WindowName, count: number): Processor[] =>
  window === 'pattern' ? redactors(count) : streamGuards(count).map((one) => guard(one, { window } satisfies GuardPolicy));

const redactors = (count: number): Processor[] =>
  Array.from({ length: count }, (_, n) =>
    redactor({ id: `redactor-${n}`, strategy: 'mask', kinds: [kinds[n % kinds.length] ?? kinds[0]] }),
  );
