import { phaseJsonSchema } from '../../../schemas/phase-payload.js';
import { aPolicy } from '../../../src/guard/policy/guard-policy.js';
import { fieldsOf, type OptionKind } from '../../../src/option-kind.js';
import { phaseNames } from '../../../src/phase/table.js';
import { form as blockedTermsGuard } from '../../../workflows/guards/blocked-terms-guard.js';
import { form as jsonGuard } from '../../../workflows/guards/json-guard.js';
import { form as lengthGuard } from '../../../workflows/guards/length-guard.js';
import { form as linkGuard } from '../../../workflows/guards/link-guard.js';
import { form as promptInjectionGuard } from '../../../workflows/guards/prompt-injection-guard.js';
import { form as qualityGuard } from '../../../workflows/guards/quality-guard.js';
import { form as scriptGuard } from '../../../workflows/guards/script-guard.js';
import { form as toolSecretsGuard } from '../../../workflows/guards/tool-secrets-guard.js';
import { form as unicodeGuard } from '../../../workflows/guards/unicode-guard.js';
import { form as redactor } from '../../../workflows/redactor/redactor.js';
import type { ReadyGuardName } from '../../protocol/again.js';
import type { FormSchemas } from '../../protocol/catalog.js';

const ready: Readonly<Record<ReadyGuardName, { readonly kinds: Readonly<Record<string, OptionKind>> }>> = {
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

/** The payloads and options that a form of a page can set: of phases, of policies, and of each built-in guard. */
export const describeSchemas = (): FormSchemas => ({
  phases: Object.fromEntries(phaseNames.map((phase) => [phase, phaseJsonSchema(phase)])),
  policy: aPolicy.schema ?? {},
  ready: Object.fromEntries(Object.entries(ready).map(([name, { kinds }]) => [name, fieldsOf(kinds).schema ?? {}])),
});
