import type { AnySpan } from '@mastra/core/observability';
import { mapSaid } from '../../guard/map-texts.js';
import { withStandIns } from '../stand-ins.js';

type Told = Readonly<Record<string, unknown>>;

/**
 * A span that is told everything without the values that guards hide, and so are the spans under it: those of tools, which get it as their
 * tracing context, and those of agents behind them.
 */
export const secretsSpan = <S extends AnySpan>(span: S, conceal: (text: string) => string): S => {
  const change = (given: unknown): unknown => concealedIn(given, conceal);
  /** A method that is told fields of a span. */
  const withoutSecrets = (name: 'update' | 'end' | 'error') => (target: S) => (given: unknown) =>
    (target[name] as (told: unknown) => unknown).call(target, change(given));
  const opening = (name: 'createChildSpan' | 'createEventSpan') => (target: S) => (given: unknown) =>
    secretsSpan((target[name] as (told: unknown) => AnySpan).call(target, change(given)), conceal);
  return withStandIns(span, {
    update: withoutSecrets('update'),
    end: withoutSecrets('end'),
    error: withoutSecrets('error'),
    createChildSpan: opening('createChildSpan'),
    createEventSpan: opening('createEventSpan'),
  });
};

/** What a span is told in these fields may hold words; everything else is the host's. */
const wordFields = ['input', 'output', 'attributes', 'metadata'] as const;

const concealedIn = (given: unknown, conceal: (text: string) => string): unknown => {
  if (typeof given !== 'object' || given === null) return given;
  const told = given as Told;
  const fields = wordFields.flatMap((name) => (told[name] === undefined ? [] : [[name, mapSaid(told[name], conceal)] as const]));
  const error = told['error'] instanceof Error ? { error: concealedError(told['error'], conceal) } : {};
  return { ...told, ...Object.fromEntries(fields), ...error };
};

const concealedError = (error: Error, conceal: (text: string) => string): Error => {
  const message = conceal(error.message);
  if (message === error.message && !error.cause) return error;
  return Object.assign(new Error(message), { name: error.name, stack: error.stack && conceal(error.stack) });
};
