export { contentModeration, threats, type ContentModerationOptions } from './content-moderation.js';
export { responseQuality, type ResponseQualityOptions } from './response-quality.js';
export { mentionsMoney } from './conditions/mentions-money.js';
export { blockedTermsGuard, type BlockedTermsGuardOptions, type BlockedTermsMetadata } from './guards/blocked-terms-guard.js';
export {
  financialAdviceGuard,
  financialAdviceReminder,
  type FinancialAdviceGuardOptions,
} from './guards/financial-advice-guard.js';
export { linkGuard, type LinkFault, type LinkGuardOptions, type LinkMetadata, type LinkStrategy } from './guards/link-guard.js';
export { leakGuard, type LeakGuardOptions, type LeakMetadata } from './guards/leak-guard.js';
export { lengthGuard, type LengthGuardOptions, type LengthMetadata } from './guards/length-guard.js';
export { piiGuard, type PiiGuardOptions, type PiiMetadata } from './guards/pii-guard.js';
export {
  injectionScore,
  promptInjectionGuard,
  type PromptInjectionGuardOptions,
  type PromptInjectionMetadata,
} from './guards/prompt-injection-guard.js';
export { qualityGuard, type QualityFlaw, type QualityGuardOptions, type QualityMetadata } from './guards/quality-guard.js';
export { spamGuard, type SpamGuardOptions, type SpamMetadata, type SpamSign } from './guards/spam-guard.js';
export type { EditStrategy, GuardOptions, GuardProcessor, JudgeStrategy } from './guards/guard-options.js';
export type { InjectionSignal } from './injection/injection-signal.js';
export { findPii, piiKinds, type PiiKind, type PiiOptions, type PiiSpan } from './pii/find-pii.js';
export { idCountries, type IdCountry } from './patterns/kinds/national-id.js';
export { valueKinds, type ValueKind } from './patterns/value-kinds.js';
export type { OwnPattern } from './patterns/own-pattern.js';
export { defaultGuards, type DefaultGuardsOptions } from './guards/default-guards.js';
export { redactor } from './redactor/redactor.js';
export type { RedactionMetadata, RedactionStrategy, RedactorOptions } from './redactor/redactor-options.js';
export { unicodeGuard, type UnicodeGuardOptions, type UnicodeMetadata, type UnicodeTrick } from './guards/unicode-guard.js';
export { answerLimitGuard, type AnswerLimitGuardOptions, type AnswerLimitMetadata } from './guards/answer-limit-guard.js';
export { jsonGuard, type JsonGuardOptions, type JsonMetadata } from './guards/json-guard.js';
export { scriptGuard, type ScriptGuardOptions, type ScriptMetadata } from './guards/script-guard.js';
export { toolSecretsGuard, type ToolSecretsGuardOptions, type ToolSecretsMetadata } from './guards/tool-secrets-guard.js';
export {
  toolPolicy,
  type ArgumentRule,
  type ToolDecision,
  type ToolPolicyMetadata,
  type ToolPolicyOptions,
  type ToolRule,
} from './guards/tool-policy.js';
export { urlRule, type UrlRuleOptions } from './tool-policy/url-rule.js';
export { pathRule, type PathRuleOptions } from './tool-policy/path-rule.js';
export { sqlRule, type SqlFacts, type SqlRuleOptions } from './tool-policy/sql-rule.js';
export { canaryGuard, type CanaryGuardOptions, type CanaryMetadata } from './guards/canary-guard.js';
export { moderationGuard, type ModerationGuardOptions, type ModerationMetadata } from './guards/moderation-guard.js';
export {
  languageGuard,
  type LanguageDetector,
  type LanguageGuardOptions,
  type LanguageMetadata,
} from './guards/language-guard.js';
export {
  toolDescriptionGuard,
  type ToolDescriptionGuardOptions,
  type ToolDescriptionMetadata,
} from './guards/tool-description-guard.js';
export {
  limitGuard,
  type Limit,
  type LimitContext,
  type Limiter,
  type LimitGuardOptions,
  type LimitMetadata,
  type LimitUnit,
} from './guards/limit-guard.js';
export {
  classifierGuard,
  type ClassifierGuardOptions,
  type ClassifierMetadata,
  type TextClassifier,
} from './guards/classifier-guard.js';
export { judgeGuard, type JudgeGuardOptions, type Judgement, type JudgeMetadata } from './guards/judge-guard.js';
export { judgeModel } from './judge/judge-model.js';
export {
  competitorsPolicy,
  judgePolicies,
  offTopicPolicy,
  type JudgePlace,
  type JudgePolicy,
  type JudgeScreen,
} from './judge/policies.js';
export type { JudgeLanguageModel, JudgeQuestion, JudgeUsage } from './judge/ask-judge.js';
export { topicGuard, type TopicGuardOptions, type TopicMetadata } from './guards/topic-guard.js';
