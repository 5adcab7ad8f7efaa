import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { guardRows } from '../guard-rows.js';
import { honestTexts } from './corpora.js';
import { judgeHonest, type HonestResult } from './judge-honest.js';

/** The largest share of honest texts that a guard may change or stop; `redactor` removes values that are there, `qualityGuard` has limits. */
const maxShare = 0.001;

/** Prints what each guard does to honest texts, with the shortest cases; the result is the exit code. */
export const printHonest = async (options: {
  readonly guard?: string | undefined;
  readonly cases: number;
  readonly write?: boolean | undefined;
}): Promise<number> => {
  let code = 0;
  const results: HonestResult[] = [];
  for await (const result of judgeHonest(honestTexts(), options.guard)) {
    results.push(result);
    const { cases, guard: name, texts, chars, changed, inFences, byCorpus } = result;
    console.log(
      `${name}: ${changed} of ${texts} texts (${shareOf(result)}, ${(chars / 1e6).toFixed(1)} MB), ${inFences} in code fences`,
    );
    console.log(`  ${JSON.stringify(byCorpus)}`);
    for (const line of cases.slice(0, options.cases)) console.log(`  ${line}`);
    if (/^(?:redactor|quality)/.test(name) || (changed <= maxShare * texts && inFences === 0)) continue;
    console.log(`  not kept: at most ${100 * maxShare} %, and none in code fences`);
    code = 1;
  }
  if (options.write) await writeShares(results);
  return code;
};

const shareOf = ({ changed, texts }: HonestResult): string => `${((100 * changed) / texts).toFixed(2)} %`;

/** The names of the rows in the table of docs/evaluation.md, by the guard that is measured. */
export const honestLabels: Readonly<Record<string, string>> = {
  unicode: '`unicodeGuard`',
  link: "`linkGuard` with `hosts: ['*']`",
  'link, hosts of the text': '`linkGuard` with all hosts of the text listed',
  'prompt-injection': '`promptInjectionGuard`',
  canary: '`canaryGuard`',
  'tool-secrets': '`toolSecretsGuard`, the text as an argument',
  'tool-description': '`toolDescriptionGuard`, the text as a description',
  redactor: '`redactor`',
  'redactor, US': "`redactor` with `defaultCountry: 'US'`",
  quality: '`qualityGuard`',
  'blocked-terms': '`blockedTermsGuard` with three terms',
  'default-guards': '`defaultGuards` in an agent with tools',
};

/** Writes the table of docs/evaluation.md, and the last cells of docs/guide/guards.md. */
const writeShares = async (results: readonly HonestResult[]): Promise<void> => {
  const head = ['guard', 'texts', 'MB', 'changed or stopped', 'share', 'with a change inside a code fence'];
  const rows = results.map((result) => {
    const { guard, texts, chars, changed, inFences } = result;
    return [honestLabels[guard] ?? guard, texts, (chars / 1e6).toFixed(1), changed, shareOf(result), inFences];
  });
  const table = [head, ['---', '---:', '---:', '---:', '---:', '---:'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
  await edit('docs/evaluation.md', async (page) => {
    const text = page.replace(/(?<=## Honest text\n[^|]*)(?:\|.*\n)+/, () => table);
    return (await format('page.md', text, { printWidth: 140 })).code;
  });
  await edit('docs/guide/guards.md', (page) =>
    Object.entries(guardRows).reduce((text, [name, { honest }]) => {
      const result = results.find(({ guard }) => 'row' in honest && guard === honest.row);
      const cell = 'none' in honest ? honest.none : result && shareOf(result);
      return cell
        ? text.replace(new RegExp(String.raw`^(\| .*\`${name}\`.*\| )[^|]*\|$`, 'm'), (_row, rest: string) => `${rest}${cell} |`)
        : text;
    }, page),
  );
};

const edit = async (name: string, change: (page: string) => string | Promise<string>): Promise<void> => {
  const path = fileURLToPath(new URL(`../../../${name}`, import.meta.url));
  await writeFile(path, await change(await readFile(path, 'utf8')));
};
