import type { BlockedTermsMetadata } from './blocked-terms-guard.js';
import type { CanaryMetadata } from './canary-guard.js';
import type { ClassifierMetadata } from './classifier-guard.js';
import type { JsonMetadata } from './json-guard.js';
import type { JudgeMetadata } from './judge-guard.js';
import type { LanguageMetadata } from './language-guard.js';
import type { LengthMetadata } from './length-guard.js';
import type { LimitMetadata } from './limit-guard.js';
import type { LinkMetadata } from './link-guard.js';
import type { ModerationMetadata } from './moderation-guard.js';
import type { PromptInjectionMetadata } from './prompt-injection-guard.js';
import type { QualityMetadata } from './quality-guard.js';
import type { RedactionMetadata } from '../redactor/replacement.js';
import type { ScriptMetadata } from './script-guard.js';
import type { ToolDescriptionMetadata } from './tool-description-guard.js';
import type { ToolPolicyMetadata } from './tool-policy.js';
import type { ToolSecretsMetadata } from './tool-secrets-guard.js';
import type { TopicMetadata } from './topic-guard.js';
import type { UnicodeMetadata } from './unicode-guard.js';

/** The metadata of a tripwire and of `onViolation`, by the guard's function. It never quotes text. */
export interface GuardMetadata {
  readonly blockedTermsGuard: BlockedTermsMetadata;
  readonly canaryGuard: CanaryMetadata;
  readonly classifierGuard: ClassifierMetadata;
  readonly jsonGuard: JsonMetadata;
  readonly judgeGuard: JudgeMetadata;
  readonly languageGuard: LanguageMetadata;
  readonly lengthGuard: LengthMetadata;
  readonly limitGuard: LimitMetadata;
  readonly linkGuard: LinkMetadata;
  readonly moderationGuard: ModerationMetadata;
  readonly promptInjectionGuard: PromptInjectionMetadata;
  readonly qualityGuard: QualityMetadata;
  readonly redactor: RedactionMetadata;
  readonly scriptGuard: ScriptMetadata;
  readonly toolDescriptionGuard: ToolDescriptionMetadata;
  readonly toolPolicy: ToolPolicyMetadata;
  readonly toolSecretsGuard: ToolSecretsMetadata;
  readonly topicGuard: TopicMetadata;
  readonly unicodeGuard: UnicodeMetadata;
}
