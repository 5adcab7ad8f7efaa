import { z } from 'zod';
import { readSource, type ReadFile } from './read-source.js';
import type { Source, sources } from './sources.js';

const sentenceSchema = z.object({
  full_text: z.string(),
  spans: z.array(z.object({ entity_type: z.string(), start_position: z.number(), end_position: z.number() })),
});

/** A sentence, and the values in it. */
export type MarkedSentence = z.output<typeof sentenceSchema>;

/** What the data sets say, in their own order. */
export interface DataSets {
  readonly sentences: readonly MarkedSentence[];
  /** Questions that are none, by how many words of attacks are in them. */
  readonly harmless: readonly (readonly string[])[];
  readonly jailbreaks: readonly string[];
}

const questionsSchema = z.array(z.object({ prompt: z.string().min(1) }));

/** Reads the data sets; one that is not as it was when it was pinned is refused. */
export const readDataSets = async (from: Record<keyof typeof sources, Source>, read: ReadFile): Promise<DataSets> => {
  const all = ({ files }: Source): Promise<unknown[]> => Promise.all(files.map((file) => readSource(file, read)));
  return {
    sentences: (await all(from.presidio)).flatMap((json) => z.array(sentenceSchema).parse(json)),
    harmless: (await all(from.notInject)).map((json) => questionsSchema.parse(json).map(({ prompt }) => prompt)),
    jailbreaks: (await all(from.inTheWild)).flatMap((json) => z.array(z.string().min(1)).parse(json)),
  };
};
