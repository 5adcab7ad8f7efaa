import { z } from 'zod';

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
export const sampleForms = { text: textSchema, chunks: chunksSchema, payload: payloadSchema } as const;

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

/** The text of a sample, for people. */
export const wordsOf = (judged: Judged): string => {
  if ('text' in judged) return judged.text;
  return 'chunks' in judged ? judged.chunks.join('') : JSON.stringify(judged.payload);
};
