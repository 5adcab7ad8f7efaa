import { isDeepStrictEqual } from 'node:util';
import { parse } from 'jsonc-parser';
import type { Chunk } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { readOutputSchema, type OutputSchema } from './output-schema.js';
import type { StructuredOutput } from './structured-output-options.js';

/** What a run shows of its object: each value takes the place of the one before. */
export interface ObjectReading {
  /** Takes a chunk that has left; gives what is now known of the object, where that is more or other than before. */
  take(chunk: Chunk): { readonly object: unknown } | undefined;
}

/**
 * Reads an object off the text of a run as it is shown: what guards hold is not in it, and after a retraction the next attempt's begins
 * anew. Only the last value is checked and accepted; a run that did not succeed has none.
 */
export const readObject = (run: Run): ObjectReading => {
  let text = '';
  let last: unknown;
  let asked: { readonly by: unknown; readonly schema: OutputSchema } | undefined;
  const schemaNow = (): OutputSchema | undefined => {
    const by = (run.attempt?.settings ?? run.options.settings).structuredOutput as StructuredOutput | undefined; // checked where it was given
    if (by && asked?.by !== by) asked = { by, schema: readOutputSchema(by.schema) };
    return by && asked?.schema;
  };
  const show = (object: unknown) => {
    if (object === undefined || isDeepStrictEqual(object, last)) return undefined;
    last = object;
    return { object };
  };
  return {
    take: ({ type, payload, object }: Chunk & { object?: unknown }) => {
      if (type === 'object-result') return show(object);
      if (startsAnew.has(type)) text = '';
      if (type !== 'text-delta') return undefined;
      const schema = schemaNow();
      if (!schema) return undefined;
      text += (payload as { text: string }).text;
      return show(schema.partial(parse(text)));
    },
  };
};

/** The object is what was said last: after a tool, in another attempt, in another step. */
const startsAnew = new Set(['step-start', 'tool-call', 'data-interlock-retract']);
