import type { ChatRequest, Reply } from 'mastra-interlock/testing';

const invoices = [
  { invoice: 'A-1', euros: 120 },
  { invoice: 'A-2', euros: 80 },
  { invoice: 'A-3', euros: 45 },
];

/** The answer of the local server: one payment a step, by the results that it is shown, then that all is paid. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const next = invoices[messages.filter(({ role }) => role === 'tool').length];
  return next ? { kind: 'tool-calls', calls: [{ name: 'pay', args: next }] } : { kind: 'text', text: 'All three are paid.' };
};
