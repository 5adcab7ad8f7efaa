import { existsSync } from 'node:fs';
import path from 'node:path';

/** Why cells fail: each cause has one short program per host that shows it. */
interface Cause {
  readonly id: string;
  readonly title: string;
  /** The scenarios that fail by it. */
  readonly scenarios: RegExp;
  /** The host's own issue about it. */
  readonly reported?: string;
}

/** Open: the hook is documented for every run, a tool result passes by it, and a retry ends the run. */
const durableProcessors = 'https://github.com/mastra-ai/mastra/issues/22980';

const causes: readonly Cause[] = [
  {
    id: 'cut-value',
    title: 'A guard that judges single deltas misses a value that is split over two deltas.',
    scenarios: /^p2-(block|edit)-halves$/u,
  },
  {
    id: 'window',
    title: 'A guard that needs whole values receives single deltas.',
    scenarios: /^p2-\w+-(halves|letters)-buffered$/u,
  },
  {
    id: 'tool-input',
    title: 'The arguments of a call reach the reader before a guard judges the call.',
    scenarios: /^p2-tool-input$/u,
  },
  {
    id: 'retried-words',
    title: 'The reader keeps the words of a rejected attempt.',
    scenarios: /^(p6-once-step|p4-retry-step|p9-retry-step)$/u,
  },
  {
    id: 'late-verdict',
    title: 'The verdict comes after the words were sent, and the stream does not retract them.',
    scenarios: /^(p2-(block|edit)|p3-(throw|hang)|p7|p9-(block|edit|throw))-(step|answer)$/u,
  },
  {
    id: 'blocked-call-runs',
    title: 'The tool runs although its step is blocked.',
    scenarios: /^p1-block-(step|call|second-call)$/u,
  },
  {
    id: 'stream-guard-throws',
    title: 'A stream guard that throws is ignored.',
    scenarios: /^(p1-throw|p3-throw)-stream$/u,
  },
  { id: 'outage', title: 'A guard that throws does not end the run as failed.', scenarios: /^p3-outage-/u },
  {
    id: 'rejected-words-kept',
    title: 'Rejected words stay in the result, or are saved for the next turn.',
    scenarios: /^p4-(edit-)?(step|answer)-/u,
  },
  {
    id: 'tool-result-in-result',
    title: 'The result of the run contains the tool result before its edit.',
    scenarios: /^p4-edit-tool-result$/u,
  },
  {
    id: 'stream-retry',
    title: 'A retry that a stream guard requests does not happen.',
    scenarios: /^p6-(once|bounded)-stream$/u,
  },
  {
    id: 'tool-result-retry',
    title: 'A retry that a tool result guard requests does not happen.',
    scenarios: /^p6-once-toolResult$/u,
  },
  { id: 'tool-result-edits', title: 'The second edit of a tool result undoes the first.', scenarios: /^p7-result$/u },
  {
    id: 'sibling',
    title: 'When a guard blocks, the guards in parallel with it get no signal to stop.',
    scenarios: /^p8-sibling$/u,
  },
  { id: 'sub-agent', title: 'The supervisor reads the words that a guard of a sub-agent has rejected.', scenarios: /^p10-/u },
];

/** Causes that only Mastra's durable agent has; they come before the others. */
const ofDurable: readonly Cause[] = [
  {
    id: 'tool-result-ignored',
    title: 'A guard of tool results is not called.',
    scenarios: /^(p1-block-result|p3-\w+-toolResult|p4-edit-tool-result|p6-\w+-toolResult|p7-result)$/u,
    reported: durableProcessors,
  },
  { id: 'edit-ignored', title: 'An edit of a step or an answer is ignored.', scenarios: /^(p2-edit|p7)-(step|answer)$/u },
  {
    id: 'guard-throws',
    title: 'A guard that throws is ignored.',
    scenarios: /^(p3-(throw|outage)-(input|answer))$/u,
  },
  { id: 'answer-block', title: 'A stream whose answer is blocked ends as completed.', scenarios: /^p5-block-answer$/u },
  {
    id: 'step-retry',
    title: 'A retry that a step guard requests does not happen.',
    scenarios: /^p6-once-step$/u,
    reported: durableProcessors,
  },
];

/** A host that fails as the one whose loop it runs in: its own program of a cause comes first. */
const loops: Readonly<Record<string, string>> = {
  'interlock-mastra-agent': 'mastra',
  'mastra-workflow': 'mastra',
};

export const causeOf = (host: string, scenario: string): Cause | undefined =>
  [...(host === 'mastra-durable' ? ofDurable : []), ...causes].find(({ scenarios }) => scenarios.test(scenario));

/** The program that shows a cause on a host, from this folder. */
export const programOf = (host: string, cause: string): string | undefined =>
  [host, loops[host]]
    .flatMap((id) => (id ? [`ours/programs/${id}/${cause}.ts`, `hosts/programs/${id}/${cause}.ts`] : []))
    .find((file) => existsSync(path.join(import.meta.dirname, file)));
