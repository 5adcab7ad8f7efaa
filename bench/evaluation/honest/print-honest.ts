import { honestTexts } from './corpora.js';
import { judgeHonest } from './judge-honest.js';

/** Prints what each guard does to honest texts, with the shortest cases. */
export const printHonest = async (guard: string | undefined, shownCases: number): Promise<void> => {
  for await (const { cases, guard: name, texts, chars, changed, inFences, byCorpus } of judgeHonest(honestTexts(), guard)) {
    const share = ((100 * changed) / texts).toFixed(2);
    console.log(`${name}: ${changed} of ${texts} texts (${share} %, ${(chars / 1e6).toFixed(1)} MB), ${inFences} in code fences`);
    console.log(`  ${JSON.stringify(byCorpus)}`);
    for (const line of cases.slice(0, shownCases)) console.log(`  ${line}`);
  }
};
