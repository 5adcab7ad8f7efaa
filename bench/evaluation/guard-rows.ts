import type * as guards from '../../workflows/guards/index.js';

type GuardName = Extract<keyof typeof guards, `${string}Guard` | 'redactor' | 'toolPolicy' | 'defaultGuards'>;

/** The name of a guard's row in a bench, or why it has none. */
type Row = { readonly row: string } | { readonly none: string };

/** A guard's rows in the benches of honest texts, of what guards find, and of their cost. */
export interface GuardRows {
  readonly honest: Row;
  readonly found: Row;
  readonly cost: Row;
}

const row = (name: string): Row => ({ row: name });
const yours = (what: string): Row => ({ none: `your ${what}` });
const ofModel: GuardRows = { honest: yours('model'), found: yours('model'), cost: { none: 'that of its model' } };

/** Every guard has its rows, or the reasons why it has none. */
export const guardRows: Readonly<Record<GuardName, GuardRows>> = {
  redactor: { honest: row('redactor'), found: row('personal values'), cost: row('redactor') },
  promptInjectionGuard: {
    honest: row('prompt-injection'),
    found: row('attempts to take over the model'),
    cost: row('promptInjectionGuard'),
  },
  unicodeGuard: { honest: row('unicode'), found: row('unicodeGuard'), cost: row('unicodeGuard') },
  toolPolicy: { honest: yours('rules'), found: row('toolPolicy'), cost: row('toolPolicy, with `tainted`') },
  toolSecretsGuard: { honest: row('tool-secrets'), found: row('toolSecretsGuard'), cost: row('toolSecretsGuard') },
  toolDescriptionGuard: {
    honest: row('tool-description'),
    found: row('toolDescriptionGuard'),
    cost: row('toolDescriptionGuard'),
  },
  linkGuard: { honest: row('link, hosts of the text'), found: row('linkGuard'), cost: row('linkGuard, with a list of hosts') },
  canaryGuard: { honest: row('canary'), found: row('canaryGuard'), cost: row('canaryGuard') },
  limitGuard: { honest: { none: 'reads no text' }, found: { none: 'reads no text' }, cost: row('limitGuard') },
  lengthGuard: { honest: yours('limit'), found: row('lengthGuard'), cost: row('lengthGuard') },
  qualityGuard: { honest: row('quality'), found: row('qualityGuard'), cost: row('qualityGuard') },
  jsonGuard: { honest: yours('schema'), found: row('jsonGuard'), cost: row('jsonGuard') },
  blockedTermsGuard: { honest: row('blocked-terms'), found: row('blockedTermsGuard'), cost: row('blockedTermsGuard') },
  topicGuard: { honest: yours('topics'), found: row('topicGuard'), cost: row('topicGuard') },
  scriptGuard: { honest: yours('languages'), found: row('scriptGuard'), cost: row('scriptGuard') },
  languageGuard: { ...ofModel, honest: yours('languages'), found: yours('detector') },
  judgeGuard: ofModel,
  classifierGuard: ofModel,
  moderationGuard: ofModel,
  defaultGuards: { honest: row('default-guards'), found: { none: 'that of its guards' }, cost: { none: 'that of its guards' } },
};
