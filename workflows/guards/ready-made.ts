export { blockedTermsGuard, type BlockedTermsGuardOptions, type BlockedTermsMetadata } from './blocked-terms-guard.js';
export { linkGuard, type LinkFault, type LinkGuardOptions, type LinkMetadata, type LinkStrategy } from './link-guard.js';
export { lengthGuard, type LengthGuardOptions, type LengthMetadata } from './length-guard.js';
export {
  injectionScore,
  promptInjectionGuard,
  type PromptInjectionGuardOptions,
  type PromptInjectionMetadata,
} from './prompt-injection-guard.js';
export { qualityGuard, type QualityFlaw, type QualityGuardOptions, type QualityMetadata } from './quality-guard.js';
export type { EditStrategy, GuardOptions, GuardProcessor, JudgeStrategy } from './guard-options.js';
export type { InjectionSignal } from '../injection/injection-signal.js';
export { idCountries, type IdCountry } from '../patterns/kinds/national-id.js';
export { valueKinds, type ValueKind } from '../patterns/value-kinds.js';
export type { OwnPattern } from '../patterns/own-pattern.js';
export type { Entity, EntityRecognizer } from '../patterns/entity-finder.js';
export { defaultGuards, type DefaultGuardsOptions } from './default-guards.js';
export { redactor } from '../redactor/redactor.js';
export type { RedactionMetadata, RedactionStrategy, RedactorOptions } from '../redactor/replacement.js';
export { unicodeGuard, type UnicodeGuardOptions, type UnicodeMetadata, type UnicodeTrick } from './unicode-guard.js';
export { jsonGuard, type JsonGuardOptions, type JsonMetadata } from './json-guard.js';
export { scriptGuard, type ScriptGuardOptions, type ScriptMetadata } from './script-guard.js';
export { toolSecretsGuard, type ToolSecretsGuardOptions, type ToolSecretsMetadata } from './tool-secrets-guard.js';
export {
  toolPolicy,
  type ArgumentRule,
  type ToolDecision,
  type ToolPolicyMetadata,
  type ToolPolicyOptions,
  type ToolRule,
} from './tool-policy.js';
export { urlRule, type UrlRuleOptions, pathRule, type PathRuleOptions } from '../tool-policy/argument-rules.js';
export { sqlRule, type SqlFacts, type SqlRuleOptions } from '../tool-policy/sql-rule.js';
export { canaryGuard, type CanaryGuardOptions, type CanaryMetadata } from './canary-guard.js';
export { moderationGuard, type ModerationGuardOptions, type ModerationMetadata } from './moderation-guard.js';
export { languageGuard, type LanguageDetector, type LanguageGuardOptions, type LanguageMetadata } from './language-guard.js';
export {
  toolDescriptionGuard,
  type ToolDescriptionGuardOptions,
  type ToolDescriptionMetadata,
} from './tool-description-guard.js';
export {
  limitGuard,
  type Limit,
  type LimitContext,
  type Limiter,
  type LimitGuardOptions,
  type LimitMetadata,
  type LimitUnit,
} from './limit-guard.js';
export {
  classifierGuard,
  type ClassifierGuardOptions,
  type ClassifierMetadata,
  type TextClassifier,
} from './classifier-guard.js';
export { judgeGuard, type JudgeGuardOptions, type Judgement, type JudgeMetadata } from './judge-guard.js';
export { judgeModel, type JudgeLanguageModel, type JudgeQuestion, type JudgeUsage } from '../judge/call-judge.js';
export { judgePolicies, offTopicPolicy, type JudgePlace, type JudgePolicy, type JudgeScreen } from '../judge/policies.js';
export { topicGuard, type TopicGuardOptions, type TopicMetadata } from './topic-guard.js';
