import { z } from 'zod';
import { readJson, readSource, type ReadFile } from './read-source.js';
import type { Source, sources } from './sources.js';

const sentenceSchema = z.object({
  full_text: z.string(),
  spans: z.array(z.object({ entity_type: z.string(), start_position: z.number(), end_position: z.number() })),
});

/** A sentence, and its marked values. */
export type MarkedSentence = z.output<typeof sentenceSchema>;

/** The contents of the data sets, in their original order. */
export interface DataSets {
  readonly sentences: readonly MarkedSentence[];
  /** Harmless questions, by the number of words from attacks in them. */
  readonly harmless: readonly (readonly string[])[];
  /** Safe questions with words of dangerous ones. */
  readonly safe: readonly string[];
  readonly jailbreaks: readonly string[];
  /** A user's orders against an assistant's instructions, and such orders in a text that the user passes on. */
  readonly attacks: Readonly<Record<'direct' | 'indirect', readonly string[]>>;
}

const attacksSchema = z.array(z.object({ user_input: z.string(), injection_type: z.enum(['direct', 'indirect']) }));

/** The prompts with the label `safe` in the table of XSTest: a number, the prompt, its type, its label and more. */
const safeIn = (csv: string): string[] =>
  Array.from(
    csv.matchAll(/^\d+,(?:"((?:[^"]|"")*)"|([^,\n]*)),[^,]*,safe,/gm),
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );

const questionsSchema = z.array(z.object({ prompt: z.string().min(1) }));

/** Reads the data sets; rejects one that differs from its pinned version. */
export const readDataSets = async (from: Record<keyof typeof sources, Source>, read: ReadFile): Promise<DataSets> => {
  const all = ({ files }: Source): Promise<unknown[]> => Promise.all(files.map((file) => readJson(file, read)));
  const attacks = (await all(from.purpleLlama)).flatMap((json) => attacksSchema.parse(json));
  const attacksOf = (type: 'direct' | 'indirect') =>
    attacks.flatMap(({ injection_type, user_input: text }) => (injection_type === type ? [text] : []));
  return {
    sentences: (await all(from.presidio)).flatMap((json) => z.array(sentenceSchema).parse(json)),
    harmless: (await all(from.notInject)).map((json) => questionsSchema.parse(json).map(({ prompt }) => prompt)),
    safe: (await Promise.all(from.xsTest.files.map((file) => readSource(file, read)))).flatMap(safeIn),
    attacks: { direct: attacksOf('direct'), indirect: attacksOf('indirect') },
    jailbreaks: (await all(from.inTheWild)).flatMap((json) => z.array(z.string().min(1)).parse(json)),
  };
};
