import type { StepSettings } from './ports.js';

const unknownName = 'unknown';

/** The name of a tool for events and spans. A name that the step does not offer is the model's own text, and is left out. */
export const publicToolName = (tools: StepSettings['tools'], name: string): string => {
  const known = (tools ?? {}) as Record<string, { readonly id?: unknown; readonly name?: unknown }>; // models also call a tool by its id
  const isKnown = Object.hasOwn(known, name) || Object.values(known).some((tool) => tool.id === name || tool.name === name);
  return isKnown ? name : unknownName;
};
