import { impersonationSignals } from './impersonation-signals.js';
import type { InjectionSignal } from './injection-signal.js';
import { lawlessSignals } from './lawless-signals.js';
import { leakSignals } from './leak-signals.js';
import { overrideSignals } from './override-signals.js';
import { personaSignals } from './persona-signals.js';
import { toolSignals } from './tool-signals.js';

/** The signals for a user's text. */
export const inputSignals: readonly InjectionSignal[] = [
  ...overrideSignals,
  ...impersonationSignals,
  ...leakSignals,
  ...personaSignals,
  ...lawlessSignals,
];

/** The signals for a tool result: the same, and orders to the model. */
export const toolResultSignals: readonly InjectionSignal[] = [...inputSignals, ...toolSignals];
