import { aPolicy } from '../../../src/guard/policy/guard-policy.js';
import { fieldsOf, type OptionKind } from '../../../src/option-kind.js';
import { optionKinds as blockedTermsGuard } from '../../../workflows/guards/blocked-terms-guard.js';
import { optionKinds as jsonGuard } from '../../../workflows/guards/json-guard.js';
import { optionKinds as lengthGuard } from '../../../workflows/guards/length-guard.js';
import { optionKinds as linkGuard } from '../../../workflows/guards/link-guard.js';
import { optionKinds as promptInjectionGuard } from '../../../workflows/guards/prompt-injection-guard.js';
import { optionKinds as qualityGuard } from '../../../workflows/guards/quality-guard.js';
import { optionKinds as scriptGuard } from '../../../workflows/guards/script-guard.js';
import { optionKinds as toolSecretsGuard } from '../../../workflows/guards/tool-secrets-guard.js';
import { optionKinds as unicodeGuard } from '../../../workflows/guards/unicode-guard.js';
import { optionKinds as redactor } from '../../../workflows/redactor/redactor.js';
import type { ReadyGuardName } from '../../protocol/again.js';
import type { Catalog } from '../../protocol/catalog.js';

const ready: Readonly<Record<ReadyGuardName, Readonly<Record<string, OptionKind>>>> = {
  blockedTermsGuard,
  jsonGuard,
  lengthGuard,
  linkGuard,
  promptInjectionGuard,
  qualityGuard,
  redactor,
  scriptGuard,
  toolSecretsGuard,
  unicodeGuard,
};

/** The options that a form of a page can set, as JSON Schemas: of policies, and of each built-in guard. */
export const describeOptions = (): Catalog['options'] => ({
  policy: aPolicy.schema ?? {},
  ready: Object.fromEntries(Object.entries(ready).map(([name, kinds]) => [name, fieldsOf(kinds).schema ?? {}])),
});
