import { markdownOf } from '../table.js';
import type { FormsResult } from './forms.js';
import type { InjectionResult } from './injection.js';
import { mislabelled } from './mislabelled.js';
import type { PiiResult } from './pii.js';
import { rival } from './rival.js';
import type { SecretResult } from './secrets.js';
import type { Source } from './sources.js';

/** The results of an evaluation. */
export interface Results {
  readonly pii: readonly PiiResult[];
  readonly secrets: readonly SecretResult[];
  readonly injection: InjectionResult;
  readonly forms: readonly FormsResult[];
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

const secretsTable = (secrets: readonly SecretResult[]): string =>
  markdownOf({
    id: 'secrets',
    head: ['texts', 'number', 'MB', 'values replaced', 'with `entropy`'],
    rows: secrets.map(({ name, texts, chars, values, valuesWithEntropy }) => [
      name,
      `${texts}`,
      (chars / 1e6).toFixed(1),
      `${values}`,
      `${valuesWithEntropy}`,
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

const sharesTable = ({ shares, rivals }: InjectionResult): string =>
  markdownOf({
    id: 'shares',
    head: ['samples of', 'of them', 'blocked', 'share', 'clusters', 'share by cluster', rival.name, 'by cluster', ''],
    rows: shares.map(({ name, isAttack, samples, objected, clusters, byCluster }, at) => [
      name,
      `${samples}`,
      `${objected}`,
      ratio(objected / samples),
      `${clusters}`,
      ratio(byCluster),
      ratio((rivals[at]?.objected ?? 0) / samples),
      ratio(rivals[at]?.byCluster),
      isAttack ? 'found' : 'blocked wrongly',
    ]),
  });

const thresholdsTable = ({ shares, atThresholds }: InjectionResult): string =>
  markdownOf({
    id: 'thresholds',
    head: ['samples of', ...atThresholds.map(([threshold]) => `${threshold}`)],
    rows: shares.map(({ name, samples }, at) => [
      name,
      ...atThresholds.map(([, own]) => ratio((own[at]?.objected ?? 0) / samples)),
    ]),
  });

const formsTable = (forms: readonly FormsResult[]): string =>
  markdownOf({
    id: 'forms',
    head: ['guard', 'forms', 'found'],
    rows: forms.map(({ guard, forms: all, missed }) => [`\`${guard}\``, `${all}`, `${all - missed.length}`]),
  });

const wrongLabels = (): string =>
  Object.entries(mislabelled)
    .map(([reason, ids]) => `- ${reason}: ${ids.map((id) => `\`${id}\``).join(', ')}`)
    .join('\n');

const sourceLine = ({ title, license, about, files }: Source): string => {
  const places = files.map(
    ({ repository, commit, path }) => `[\`${repository}/${path}\`](https://github.com/${repository}/blob/${commit}/${path})`,
  );
  return `- **${title}** (${license}): ${about}. ${places.join(', ')}`;
};

const injectionSection = (injection: InjectionResult): string => `## Attempts to take over the model

\`promptInjectionGuard\` at its default threshold, on jailbreaks in the wild, NotInject and the sentences of presidio-research.

${injectionTable(injection)}

By source. Collections contain many near copies of one text, which distort a share. A cluster is a set of texts that share at least a third of their sequences of five words; the share by cluster is the mean over clusters. Of each set
of attacks but BIPIA, half of the clusters was read while the phrases were written; only the other half is reported. False alarms of the harmless sets were read, too.

${sharesTable(injection)}

For comparison, the same texts were given to [\`llm_guardrail\`](https://www.npmjs.com/package/llm_guardrail), two small linear classifiers, with its own thresholds. No other detector on npm was found that runs without a model to download:
\`@presidio-dev/hai-guardrails\` 1.12.0 starts a worker whose file is not in its package.

The blocked share by \`threshold\`: a lower one finds more attacks, and may block harmless text.

${thresholdsTable(injection)}

On this data a threshold of 0.5 finds a seventh more jailbreaks than the default, and blocks more harmless texts: 1.3 % instead of 0.3 % of WildGuard's, and 2.7 % instead of 0.2 % of the documentation. Measure on messages of your users before you change it.

The guard knows phrases, not meaning:

- **It finds no order of BIPIA.** They are harmless questions, out of place in an e-mail or a table. Only a judge that knows what the user asked for can tell: \`judgeGuard\` with \`judgePolicies.alignment\`.
- It finds few attacks of PurpleLlama and of Tensor Trust. Most ask for two words, a secret, a language or a tone in harmless words, and only the system prompt makes them attacks. The same judge finds those.
- It misses more than a third of the jailbreaks: games, stories and characters that never mention a rule.
- It rarely blocks harmless text, even with words of attacks in it.

Of the 197 clusters of jailbreaks that were read, it blocks 101 and gives 37 no score: characters, stories, games and formats in words that harmless prompts have, too. At 1 % false positives it finds ${ratio(injection.recallByClusterAt1PercentFpr)} of those that were not read, by cluster; the aim is 0.72.

Use it as the cheap first guard before one that asks a model, not as the only one.

Wrong labels. These texts of the reported jailbreaks (the start of their SHA-256) neither lift a rule nor ask for anything harmful. Only texts that the guard missed at a threshold of 0.5 were read, so the share without wrong labels is a little too high.

${wrongLabels()}`;

/** The page of an evaluation. */
export const pageOf = (
  { pii, secrets, injection, forms }: Results,
  sources: Readonly<Record<string, Source>>,
): string => `<!-- Made by bench/evaluation: npm run evaluate -- --write -->

# The guards on public data

Results of the built-in guards for characters and phrases on public data sets that were not made for them, measured by [\`evaluate\`](guide/testing.md#measure-guards-on-labeled-samples). \`npm run evaluate\` downloads the data sets, measures again, and fails if a bound is
violated. The results hold for this data: evaluate a guard on messages of your own users.

## Personal values

The redactor on the sentences of presidio-research, one kind at a time. A sentence counts as found if the redactor edits it. A value counts as redacted whole if all its characters are removed.

${piiTable(pii)}

What is missed, and why:

- **Phone numbers are its weakness.** Without a country the redactor finds only international numbers (\`+44 …\`), and most numbers here are national ones of many countries. With \`defaultCountry\` it finds those of one country, in forms that
  \`libphonenumber-js\` accepts. Many numbers of this set are invalid: areas, exchanges and lengths that do not exist, or ranges reserved for films.
- **Cards of 12 and 13 digits** are ignored on purpose: every tenth bar code would match.
- **Names, addresses, dates and places are not detected**, and this set has more of them than of all kinds above. A guard with patterns cannot find them. Mastra's \`PIIDetector\`, which asks a model, can follow the redactor in a pipeline.

## Secrets

The kinds of secrets of the redactor (\`pem\`, \`url-credentials\`, \`jwt\`, \`api-key\`, \`bearer\`, \`secret\`), on texts of this project's dependencies that contain no secret. What it replaces there is an example or a published token. With \`entropy\` it also replaces hashes, as its page says.

${secretsTable(secrets)}

${injectionSection(injection)}

## Known forms of attacks

One text for each form of an attack that is known to the project (\`bench/evaluation/forms.ts\`), answers in random pieces. These forms were read while the guards were written. \`npm run evaluate -- --forms\` prints those that are missed.

${formsTable(forms)}

## Guards without figures

\`classifierGuard\` and \`localEntities\` run a model that you choose, and its weights are too large to download here. Measure your model with \`mastra-interlock eval\`. The same holds for \`judgeGuard\`, \`moderationGuard\` and \`languageGuard\`, which call a service or a detector of yours.

## The data

The data is not part of this repository. Each file is pinned by its commit and its SHA-256, in \`bench/evaluation/sources.ts\`.

${Object.values(sources).map(sourceLine).join('\n')}
`;
