import type { App } from '../app.js';
import { agentV6 } from './agent-v6.js';
import { analyst } from './analyst.js';
import { council } from './council.js';
import { desk } from './desk.js';
import { guardrails } from './guardrails.js';
import { observational } from './observational.js';
import { pipelineApp } from './pipeline.js';
import { supervisor } from './supervisor.js';
import { beyondGuardrails, enterprise, masterclass } from './workshops.js';

export const apps: Readonly<Record<string, App>> = {
  'a workflow of guards': guardrails,
  'a supervisor with specialists': supervisor,
  'an assistant with observational memory': observational,
  'processors of each kind': pipelineApp,
  'processors that are no guards': beyondGuardrails,
  'a pipeline with a branch': enterprise,
  'processors, scorers, approvals and structured answers': masterclass,
  'a council of experts in a workflow': council,
  'thirty agents in one Mastra': desk,
  'an agent of the AI SDK': agentV6,
  'tools with defaults, objects with limits': analyst,
};
