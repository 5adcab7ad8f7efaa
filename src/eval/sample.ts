import { z } from 'zod';
import { InterlockError, messageOf } from '../errors.js';
import { openPayload } from '../mastra/workflow/step.js';
import { attempted } from '../phase/awaitable.js';
import { fieldsIn } from '../phase/plain-data.js';

/** Whether guards should object: `true` or 1 if so. */
const labelSchema = z.union([z.boolean(), z.literal(0).transform(() => false), z.literal(1).transform(() => true)], {
  error: 'it is true, false, 1 or 0',
});

const common = {
  /** The name in reports. Default: the line number. */
  id: z.string().min(1).optional(),
  label: labelSchema,
};

/** A text: the caller's input, or the model's answer in one piece. */
const textSchema = z.strictObject({ ...common, text: z.string().min(1), as: z.enum(['input', 'answer']).default('input') });

/** The model's output, in its pieces. */
const chunksSchema = z.strictObject({
  ...common,
  chunks: z.array(z.string()).min(1),
  as: z.enum(['answer', 'reasoning']).default('answer'),
});

/** A payload of any phase, in the form of `ProcessorStepInputSchema`. */
const payloadSchema = z.strictObject({ ...common, payload: z.looseObject({ phase: z.string() }) });

/** The forms of a line, by the field that only this form has. */
const sampleForms = { text: textSchema, chunks: chunksSchema, payload: payloadSchema } as const;

/** The content for the guards, without its label. */
export type Judged = DistributiveOmit<z.output<(typeof sampleForms)[keyof typeof sampleForms]>, 'id' | 'label'>;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** One labeled line of a data set. */
export interface Sample {
  readonly id: string;
  /** Whether guards should object. */
  readonly label: boolean;
  readonly judged: Judged;
  /** The position of the sample, e.g. `set.jsonl:12`. */
  readonly location: string;
}

/**
 * Reads a data set: JSON lines, each with a `label` and a `text`, `chunks` or a `payload`. Empty lines are skipped.
 *
 * Raises `eval/invalid-data` for the first invalid line, with `path` and line number.
 */
export const parseSamples = (lines: string, path = 'data'): Sample[] => {
  const samples = lines
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, `${path}:${index + 1}`)]));
  if (samples.length === 0) throw invalid(path, 'it has no lines.');
  const ids = new Set<string>();
  for (const { id, location } of samples) {
    if (ids.has(id)) throw invalid(location, `the id "${id}" is also on another line.`);
    ids.add(id);
  }
  return samples;
};

type Form = keyof typeof sampleForms;

const readLine = (line: string, location: string): Sample => {
  const value: unknown = attempted(() => JSON.parse(line));
  if (value === undefined) throw invalid(location, 'it is no JSON.');
  const forms = (Object.keys(sampleForms) as Form[]).filter((name) => name in fieldsIn(value));
  const [form] = forms;
  if (!form || forms.length > 1)
    throw invalid(location, `it needs one of ${Object.keys(sampleForms).join(', ')}, and has ${forms.join(', ') || 'none'}.`);
  const read = sampleForms[form].safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(location, `${issue?.path.join('.') || 'the line'}: ${issue?.message}`);
  }
  const { id = location, label, ...judged } = read.data;
  if ('payload' in judged) checkPayload(judged.payload, location);
  return { id, label, judged, location };
};

const checkPayload = (payload: object, location: string): void => {
  try {
    openPayload(structuredClone(payload));
  } catch (error) {
    throw invalid(location, messageOf(error));
  }
};

const invalid = (path: string, detail: string): InterlockError => new InterlockError('eval/invalid-data', { path, detail });
