import { impersonationSignals } from './impersonation-signals.js';
import type { InjectionSignal } from './injection-signal.js';
import { leakSignals } from './leak-signals.js';
import { overrideSignals } from './override-signals.js';
import { personaSignals } from './persona-signals.js';
import { toolSignals } from './tool-signals.js';

/** What is looked for in the words of a user. */
export const inputSignals: readonly InjectionSignal[] = [
  ...overrideSignals,
  ...impersonationSignals,
  ...leakSignals,
  ...personaSignals,
];

/** What is looked for in the result of a tool: the same, and orders to the model. */
export const toolResultSignals: readonly InjectionSignal[] = [...inputSignals, ...toolSignals];
