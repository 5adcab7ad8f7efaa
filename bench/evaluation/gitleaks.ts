import fc from 'fast-check';
import { combineFinders } from '../../workflows/patterns/combine-finders.js';
import { findersOf } from '../../workflows/patterns/value-kinds.js';
import { secretKinds } from './secrets.js';

/** The rules of gitleaks, as its repository has them now. */
export const rulesAddress = 'https://raw.githubusercontent.com/gitleaks/gitleaks/master/config/gitleaks.toml';

interface Rule {
  readonly id: string;
  readonly regex: string;
}

/** The rules of a configuration that have an expression; others are for file names. */
const rulesIn = (toml: string): Rule[] =>
  toml
    .split('[[rules]]')
    .slice(1)
    .flatMap((block) => {
      const id = /^id = "([^"]+)"/m.exec(block)?.[1];
      const regex = /^regex = '''([^]*?)'''/m.exec(block)?.[1];
      return id && regex ? [{ id, regex }] : [];
    });

/** Rules without a format of a secret: any value after a word, lines of commands and files, public ids, and what has a kind of its own. */
const noFormat = new Set([
  'generic-api-key',
  'curl-auth-header',
  'curl-auth-user',
  'kubernetes-secret-yaml',
  'jwt',
  'jwt-base64',
  'private-key',
  'asana-client-id',
  'discord-client-id',
]);

/** A rule for a value without a form of its own, which counts after the provider's name only. */
const labelled = /^(?:\[\\w\.-\]\{0,50\}\?)?\(\?i(?:\)|:)\[\\w\.-\]\{0,50\}\?\(\?:/;
/** The text after a secret in such rules. */
const end = String.raw`(?:[\x60'"\s;]|\\[nr]|$`;

/** An expression of Go as one of JavaScript: without flags inside, which only let a part match in any case. */
const inJavaScript = (regex: string): string =>
  regex
    .replaceAll(/\(\?-?[is]+\)/g, '')
    .replaceAll(/\(\?-?[is]+:/g, '(?:')
    .replaceAll(/\(\?P<\w+>/g, '(?:')
    .replaceAll('[[:alnum:]]', '[A-Za-z0-9]')
    .replaceAll('\\x60', '`')
    .replaceAll(String.raw`\z`, '$')
    .replace(/\(\?:\[\^[^\]]*\]\|\$\)$/, '')
    .replaceAll(/(?<=[a-z])\.(?=[a-z])/g, String.raw`\.`)
    .replaceAll(String.raw`\b`, '')
    .replaceAll(/\{(\d+),\}/g, (_all, least: string) => `{${least},${Number(least) + 20}}`);

/** The part of an expression that is the secret: its last group, or all of it without the text after it. */
const secretOf = ({ regex }: Rule): string => {
  const at = regex.indexOf(end);
  const body = at < 0 ? regex : regex.slice(0, at);
  if (!labelled.test(regex)) return body;
  let depth = 0;
  for (let start = body.length - 1; start >= 0; start -= 1) {
    if (body[start] === ')') depth += 1;
    if (body[start] === '(' && (depth -= 1) === 0) return body.slice(start);
  }
  return body;
};

/** Made-up secrets of a rule, each in the texts in which it has to be found. */
const samplesOf = (rule: Rule): { secret: string; texts: readonly string[] }[] => {
  const form = new RegExp(`^(?:${inJavaScript(secretOf(rule))})$`);
  return fc.sample(fc.noBias(fc.stringMatching(form)), { seed: 7, numRuns: 20 }).map((sample) => {
    const groups = (form.exec(sample) ?? []).filter((group) => group !== undefined && group.length > 7);
    const secret = (groups.at(labelled.test(rule.regex) ? 0 : -1) ?? sample)
      .replace(/^(?:https?:\/\/|\w+=)/, '')
      .replaceAll('"', '');
    const name = `${rule.id.split('-')[0]?.toUpperCase() ?? ''}_${rule.id.includes('password') ? 'PASSWORD' : 'TOKEN'}`;
    const texts = labelled.test(rule.regex)
      ? [`export ${name}="${secret}"`, JSON.stringify({ [name]: secret })]
      : [`It is ${sample} here.`];
    return { secret, texts };
  });
};

interface GitleaksResult {
  readonly rules: number;
  /** The rules of which not every made-up secret is found whole, with the share of those that are. */
  readonly missing: readonly { readonly id: string; readonly found: number }[];
  /** Rules whose expression has no samples here. */
  readonly skipped: readonly string[];
}

/** Looks for made-up secrets of each rule, with the redactor's default kinds. */
export const judgeGitleaks = (toml: string): GitleaksResult => {
  const { find } = combineFinders(findersOf(secretKinds));
  const isFound = (text: string, secret: string): boolean => {
    const from = text.indexOf(secret);
    return find(text, 0).some((span) => span.start <= from && span.end >= from + secret.length);
  };
  const missing = [];
  const skipped: string[] = [];
  let rules = 0;
  for (const rule of rulesIn(toml)) {
    if (noFormat.has(rule.id)) continue;
    try {
      const samples = samplesOf(rule);
      const found = samples.filter(({ secret, texts }) => texts.every((text) => isFound(text, secret))).length / samples.length;
      rules += 1;
      if (found < 1) missing.push({ id: rule.id, found });
    } catch {
      skipped.push(rule.id);
    }
  }
  return { rules, missing, skipped };
};

const minShare = 0.9;

/** Prints what is missing; the result is the exit code. */
export const printGitleaks = ({ rules, missing, skipped }: GitleaksResult): number => {
  const share = (rules - missing.length) / rules;
  console.log(
    `found: ${rules - missing.length} of ${rules} rules (${(100 * share).toFixed(1)} %); at least ${100 * minShare} % have to be`,
  );
  for (const { id, found } of missing) console.log(`  missing: ${id} (${(100 * found).toFixed(0)} % of its samples are found)`);
  for (const id of skipped) console.log(`  not measured: ${id}`);
  return share < minShare ? 1 : 0;
};
