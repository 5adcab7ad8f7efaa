import type { AnySpan } from '@mastra/core/observability';
import { mapErrorTexts } from '../../guard/map-texts.js';
import { isObject } from '../../phase/plain-data.js';
import { withStandIns } from '../stand-ins.js';

/**
 * A span without the values that guards hide. This includes its child spans: those of tools, which get it as tracing context, and
 * of agents that tools call.
 */
export const secretsSpan = <S extends AnySpan>(span: S, conceal: (text: string) => string): S => {
  const change = (options: unknown): unknown => concealedIn(options, conceal);
  /** Wraps a method that sets fields of a span. */
  const changing = (name: 'update' | 'end' | 'error') => (target: S) => (options: unknown) =>
    (target[name] as (options: unknown) => unknown).call(target, change(options));
  const opening = (name: 'createChildSpan' | 'createEventSpan') => (target: S) => (options: unknown) =>
    secretsSpan((target[name] as (options: unknown) => AnySpan).call(target, change(options)), conceal);
  return withStandIns(span, {
    update: changing('update'),
    end: changing('end'),
    error: changing('error'),
    createChildSpan: opening('createChildSpan'),
    createEventSpan: opening('createEventSpan'),
  });
};

/** Fields of a span that may contain text of the conversation; all others belong to the host. */
const wordFields = ['input', 'output', 'attributes', 'metadata'] as const;

const concealedIn = (value: unknown, conceal: (text: string) => string): unknown => {
  if (!isObject(value)) return value;
  const fields = wordFields.flatMap((name) =>
    value[name] === undefined ? [] : [[name, mapErrorTexts(value[name], conceal)] as const],
  );
  const error = value['error'] instanceof Error ? { error: concealedError(value['error'], conceal) } : {};
  return { ...value, ...Object.fromEntries(fields), ...error };
};

const concealedError = (error: Error, conceal: (text: string) => string): Error => {
  const message = conceal(error.message);
  if (message === error.message && !error.cause) return error;
  return Object.assign(new Error(message), { name: error.name, stack: error.stack && conceal(error.stack) });
};
