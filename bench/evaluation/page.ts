import { markdownOf } from '../table.js';
import type { InjectionResult } from './injection.js';
import type { PiiResult } from './pii.js';
import type { Source } from './sources.js';

/** What an evaluation found. */
export interface Results {
  readonly pii: readonly PiiResult[];
  readonly injection: InjectionResult;
}

const ratio = (value: number | undefined): string => value?.toFixed(3) ?? 'n/a';

const piiTable = (pii: readonly PiiResult[]): string =>
  markdownOf({
    id: 'pii',
    head: ['kind', 'values', 'redacted whole', 'missed', 'sentences edited wrongly', 'precision', 'recall', 'F1'],
    rows: pii.map(({ name, values, whole, measures: { falsePositives, precision, recall, f1 } }) => [
      name,
      `${values}`,
      `${whole}`,
      `${values - whole}`,
      `${falsePositives}`,
      ratio(precision),
      ratio(recall),
      ratio(f1),
    ]),
  });

const injectionTable = ({
  measures: { precision, recall, f1, falsePositiveRate, auc, recallAt1PercentFpr },
  recallByClusterAt1PercentFpr,
}: InjectionResult): string =>
  markdownOf({
    id: 'injection',
    head: ['precision', 'recall', 'F1', 'false positive rate', 'AUC', 'recall at 1 % FPR', 'the same by cluster'],
    rows: [[precision, recall, f1, falsePositiveRate, auc, recallAt1PercentFpr, recallByClusterAt1PercentFpr].map(ratio)],
  });

const sharesTable = ({ shares }: InjectionResult): string =>
  markdownOf({
    id: 'shares',
    head: ['samples of', 'of them', 'blocked', 'share', 'clusters', 'share by cluster', ''],
    rows: shares.map(({ name, isAttack, samples, objected, clusters, byCluster }) => [
      name,
      `${samples}`,
      `${objected}`,
      ratio(objected / samples),
      `${clusters}`,
      ratio(byCluster),
      isAttack ? 'found' : 'blocked wrongly',
    ]),
  });

const thresholdsTable = ({ shares, atThresholds }: InjectionResult): string =>
  markdownOf({
    id: 'thresholds',
    head: ['threshold', ...shares.map(({ name }) => name)],
    rows: atThresholds.map(([threshold, own]) => [
      `${threshold}`,
      ...own.map(({ objected, samples }) => ratio(objected / samples)),
    ]),
  });

const sourceLine = ({ title, license, about, files }: Source): string => {
  const places = files.map(
    ({ repository, commit, path }) => `[\`${repository}/${path}\`](https://github.com/${repository}/blob/${commit}/${path})`,
  );
  return `- **${title}** (${license}): ${about}. ${places.join(', ')}`;
};

/** The page of an evaluation. */
export const pageOf = (
  { pii, injection }: Results,
  sources: Readonly<Record<string, Source>>,
): string => `<!-- Made by bench/evaluation: npm run evaluate -- --write -->

# The guards on data of others

The ready-made guards that judge by characters and phrases, on public data sets that were not made for them. The figures are what
[\`evaluate\`](guide/evaluating.md) says; \`npm run evaluate\` downloads the data sets, says them again, and fails where a bound is not kept.
They hold for this data: judge a guard on what your own users say.

## Personal values

The redactor on the sentences of presidio-research, one kind at a time. A sentence counts as found where the redactor edits it; a value counts as
redacted whole where all of its characters go.

${piiTable(pii)}

What is missed, and why:

- **Phone numbers are where it is weak.** Without a country the redactor takes international numbers alone (\`+44 …\`), and most of these are
  national ones of many countries: set \`defaultCountry\`. It then finds those of one country, in the forms that \`libphonenumber-js\` finds valid. The numbers
  of this set are made up, and many are none: of areas, exchanges and lengths that no person is given, or of ranges that are kept for films.
- **Cards of 12 and 13 digits** are in this set, and are left alone on purpose: every tenth bar code would be taken for one.
- **Names, addresses, dates and places are not looked for at all**, and this set has more of them than of all kinds above: a guard that knows
  patterns cannot tell them. Mastra's \`PIIDetector\`, which asks a model, can follow the redactor in a pipeline.

## Attempts to take over the model

\`promptInjectionGuard\` at its default threshold, on jailbreaks in the wild, NotInject and the sentences of presidio-research.

${injectionTable(injection)}

By source. Collections have many near copies of one text, which flatter or blame a guard many times: a cluster is a set of texts that share at least a third of their
sequences of five words, and the share by cluster is the mean of the clusters' shares. Texts with a wrong label are not taken out.

${sharesTable(injection)}

The share that is blocked, by \`threshold\`: what a lower one finds, and what it costs where harmless words look like an attack.

${thresholdsTable(injection)}

On this data a threshold of 0.5 finds a tenth more than the default, and blocks nothing more that is harmless; on the words of your users, look before you
set it.

It knows phrases, not meaning. Of the attacks of PurpleLlama it finds few: most ask for a secret, or for another language or tone, in words that are harmless by themselves, and
what makes them attacks is the system prompt before them. A judge that sees the conversation is for those (\`judgePolicies.alignment\`). Of the jailbreaks it misses about every second: those that describe a character without morals, or a game, in
words of their own, without lifting an instruction or asking for a hidden one. It seldom blocks what is harmless, also where that has
the words of attacks in it. That makes it the cheap first of two guards, before one that asks a model, and not the only one.

## The data

Nothing of it is kept in this repository. Each file is pinned by its commit and its SHA-256, in \`bench/evaluation/sources.ts\`.

${Object.values(sources).map(sourceLine).join('\n')}
`;
