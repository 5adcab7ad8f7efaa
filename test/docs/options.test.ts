import { describe, expect, it } from 'vitest';

import { guardOptionKinds } from '../../src/ai-sdk/guard-options.js';
import { isApplied, namesOf, optionTable, type OptionPlace } from '../../src/mastra/options/option-table.js';
import type { OptionRow, Treatment } from '../../src/mastra/options/option-row.js';
import { unsupportedMethods } from '../../src/mastra/agent/unsupported-methods.js';

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const treatmentText = (treatment: Treatment): string => {
  if (isApplied(treatment)) return `${sentence(treatment.description ?? '')}.`;
  if (treatment.reported === 'never') return 'Accepted, without effect.';
  const why = treatment.detail ? ` ${sentence(treatment.detail)}` : '';
  return `${treatment.reported === 'unless-false' ? 'Ignored with a warning, unless `false`.' : 'Ignored with a warning.'}${why}`;
};

type Cells = readonly string[];

const table = (heads: Cells, rows: readonly Cells[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const quoted = (name: string): string => `\`${name}\``;
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const defaultOf = ({ default: value }: OptionRow): string =>
  value === undefined ? '' : quoted(typeof value === 'string' ? value : JSON.stringify(value));

const optionsOf = (place: OptionPlace, heads: Cells, more: (row: OptionRow) => Cells): string => {
  const rows = Object.entries(optionTable)
    .filter(([name]) => !name.startsWith('_')) // Mastra's internal fields
    .toSorted(byName)
    .flatMap(([name, row]) => {
      const { [place]: treatment } = row;
      return treatment ? [[quoted(name), treatmentText(treatment), defaultOf(row), ...more(row)]] : [];
    });
  return table(['option', 'value', 'default', ...heads], rows);
};

/** Names of the matching options, as a list in a sentence. */
const named = (holds: (row: OptionRow) => boolean): string =>
  [...namesOf(holds)]
    .toSorted()
    .map(quoted)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');

const onResume = { allowed: 'yes', delegated: 'repeated', 'allowed-and-delegated': 'yes' } as const;

const document = `<!-- Made from src/mastra/options, src/mastra/agent/unsupported-methods.ts and src/ai-sdk/guard-options.ts: npm test -- test/docs/options.test.ts -u -->

# Options of Mastra's agent

This page lists every option of Mastra's agent and of Interlock. An option accepts the values in its row. Any other value is rejected with
\`agent/invalid-option\` and the path in the value. All checks run before any model call. \`undefined\` and \`null\` count as an absent option.

An option that has no effect here, or that is in no table, is ignored, as in Mastra. One warning per agent names it and the alternative, at
construction or with the first call. If a promise may depend on it, it is rejected instead, with \`agent/unknown-option\`: Interlock's own options, and
${named(({ protects }) => protects === true)}, if they are misspelt or in the wrong place.

## Of a call

${optionsOf('call', ['from a client', 'on resume'], (row) => [
  row.isServed && row.call && isApplied(row.call) ? 'yes' : '',
  row.onResume ? onResume[row.onResume] : '',
])}

Empty cells mean: the option has no default; in a request to Mastra's server, it is rejected with \`agent/served-option\`; a call that resumes a run may
only repeat its value. *Repeated* options are those that a supervisor sends again. A call that resumes a run also accepts \`toolCallId\`.

A call may tighten the rules of its agent, but not loosen them, because its data may come from a request. This applies to
${named(({ loosens }) => loosens !== undefined)}. If the agent or its \`defaultOptions\` set a stricter value, these values are rejected with
\`agent/loosened-option\`: an empty list of guards, a weaker \`hold\`, a \`persistence\` that keeps more, and no approval. Your own code can pass a
function, which a request cannot contain: \`inputProcessors: () => []\`, \`requireToolApproval: () => false\`. To loosen the other options, use
\`defaultOptions\`, which may be a function of the request.

With \`durability\`, the options of a call are stored with the run and must be serializable data. Only these stay in the process that waits for the run:
${named(({ isLocal }) => isLocal === true)}.

## Of the configuration

${optionsOf('config', [], () => [])}

## Methods

These methods would run a loop without Interlock's promises, so they reject with \`agent/unsupported-method\`. The network and legacy methods work for
an agent without guards. Guards of the agents in such a network still apply.

${table(
  ['method', 'reason and alternative'],
  Object.entries(unsupportedMethods).map(([name, why]) => [quoted(name), sentence(why)]),
)}

## Of a run in the AI SDK

These are the \`guardOptions\` of \`guardedToolLoop\`, and the options of \`createGuardedRun\` and of each adapter. Any other value is rejected with
\`ai-sdk/invalid-option\`.

${table(
  ['option', 'value'],
  Object.entries(guardOptionKinds)
    .toSorted(byName)
    .map(([name, { description }]) => [quoted(name), `${sentence(description)}.`]),
)}
`;

describe('docs/options.md', () => {
  it('lists the behavior of every option', async () => expect(document).toMatchFileSnapshot('../../docs/options.md'));

  it('distinguishes kinds of treatment', () => {
    expect(document).toContain('| `maxSteps` | An integer of 1 or more. | `5` | yes |');
    expect(document).toContain(
      '| `eagerToolExecution` | Ignored with a warning, unless `false`. No tool runs before its step is judged. |',
    );
    expect(document).toContain('| `network` | A network saves');
  });
});
