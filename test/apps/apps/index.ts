import type { App } from '../app.js';
import { guardrails } from './guardrails.js';
import { observational } from './observational.js';
import { supervisor } from './supervisor.js';

export const apps: Readonly<Record<string, App>> = {
  'a workflow of guards': guardrails,
  'a supervisor with specialists': supervisor,
  'an assistant with observational memory': observational,
};
