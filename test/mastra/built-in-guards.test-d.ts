import { Agent } from '@mastra/core/agent';
import type { InputProcessorOrWorkflow, OutputProcessorOrWorkflow } from '@mastra/core/processors';
import * as guards from '../../workflows/guards/index.js';

// Each built-in guard fits the arrays of Mastra's own agent in which Mastra calls its hooks. test/packages compiles this file with the packed package.

type Guards = {
  [
    Name in keyof typeof guards as Name extends `${string}Guard` | 'redactor' | 'toolPolicy' ? Name : never
  ]: (typeof guards)[Name] extends (...args: never[]) => infer Guard ? Guard : never;
};

type Fits<Guard> = [Guard] extends [InputProcessorOrWorkflow]
  ? [Guard] extends [OutputProcessorOrWorkflow]
    ? 'both'
    : 'input'
  : [Guard] extends [OutputProcessorOrWorkflow]
    ? 'output'
    : never;

export const arrays: { readonly [Name in keyof Guards]: Fits<Guards[Name]> } = {
  blockedTermsGuard: 'both',
  canaryGuard: 'both',
  classifierGuard: 'both',
  jsonGuard: 'output',
  judgeGuard: 'both',
  languageGuard: 'both',
  lengthGuard: 'input',
  limitGuard: 'both',
  linkGuard: 'output',
  moderationGuard: 'both',
  promptInjectionGuard: 'both',
  qualityGuard: 'output',
  redactor: 'both',
  scriptGuard: 'both',
  toolDescriptionGuard: 'input',
  toolPolicy: 'output',
  toolSecretsGuard: 'output',
  topicGuard: 'input',
  unicodeGuard: 'both',
};

const { defaultGuards, redactor, unicodeGuard } = guards;
const agent = { id: 'a', name: 'A', instructions: '', model: 'openai/gpt-5-mini' };
const both = [redactor({ strategy: 'restore' }), unicodeGuard()];
export const agents = [
  new Agent({ ...agent, inputProcessors: both, outputProcessors: both }),
  new Agent({ ...agent, ...defaultGuards({ for: 'agent-with-tools' }) }),
];
