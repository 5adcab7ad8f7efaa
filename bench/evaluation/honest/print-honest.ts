import { honestTexts } from './corpora.js';
import { judgeHonest } from './judge-honest.js';

/** The largest share of honest texts that a guard may change or stop; `redactor` removes values that are there. */
const maxShare = 0.001;

/** Prints what each guard does to honest texts, with the shortest cases; the result is the exit code. */
export const printHonest = async (guard: string | undefined, shownCases: number): Promise<number> => {
  let code = 0;
  for await (const { cases, guard: name, texts, chars, changed, inFences, byCorpus } of judgeHonest(honestTexts(), guard)) {
    const share = ((100 * changed) / texts).toFixed(2);
    console.log(`${name}: ${changed} of ${texts} texts (${share} %, ${(chars / 1e6).toFixed(1)} MB), ${inFences} in code fences`);
    console.log(`  ${JSON.stringify(byCorpus)}`);
    for (const line of cases.slice(0, shownCases)) console.log(`  ${line}`);
    if (name.startsWith('redactor') || (changed <= maxShare * texts && inFences === 0)) continue;
    console.log(`  not kept: at most ${100 * maxShare} %, and none in code fences`);
    code = 1;
  }
  return code;
};
