import { describe, expect, it } from 'vitest';

import { guardOptionSchemas } from '../../src/ai-sdk/guard-options.js';
import { isHonoured, namesWhere, optionTable, type OptionPlace } from '../../src/mastra/options/option-table.js';
import type { OptionRow, Treatment } from '../../src/mastra/options/option-row.js';
import { refusedMethods } from '../../src/mastra/agent/refused-methods.js';

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const told = (treatment: Treatment): string => {
  if (isHonoured(treatment)) return `${sentence(treatment.description ?? '')}.`;
  if (treatment.refused === 'never') return 'Taken; there is nothing here that it would change.';
  const why = treatment.detail ? ` ${sentence(treatment.detail)}` : '';
  return `${treatment.refused === 'unless-false' ? 'Refused unless `false`.' : 'Refused.'}${why}`;
};

type Cells = readonly string[];

const table = (heads: Cells, rows: readonly Cells[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const quoted = (name: string): string => `\`${name}\``;
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const defaultOf = ({ default: value }: OptionRow): string =>
  value === undefined ? '' : quoted(typeof value === 'string' ? value : JSON.stringify(value));

const optionsOf = (where: OptionPlace, heads: Cells, more: (row: OptionRow) => Cells): string => {
  const rows = Object.entries(optionTable)
    .filter(([name]) => !name.startsWith('_')) // Mastra's internal fields
    .toSorted(byName)
    .flatMap(([name, row]) => {
      const { [where]: treatment } = row;
      return treatment ? [[quoted(name), told(treatment), defaultOf(row), ...more(row)]] : [];
    });
  return table(['option', 'takes', 'default', ...heads], rows);
};

/** Names of the matching options, as a list in a sentence. */
const named = (holds: (row: OptionRow) => boolean): string =>
  [...namesWhere(holds)]
    .toSorted()
    .map(quoted)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');

const onResume = { allowed: 'yes', delegated: 'repeated', 'allowed-and-delegated': 'yes' } as const;

const document = `<!-- Made from src/mastra/options, src/mastra/agent/refused-methods.ts and src/ai-sdk/guard-options.ts: npm test -- test/docs/options.test.ts -u -->

# Options of Mastra's agent

Every option of Mastra's agent is honoured, and takes what its row says, or is refused by name with \`agent/unsupported-option\`; none is
ignored. A name that is in no table here is \`agent/unknown-option\`, any other value, \`null\` too, \`agent/invalid-option\` with the place
in it. All of that is said before any model is called; \`undefined\` is as if the option were not there.

## Of a call

${optionsOf('call', ['from a client', 'on resume'], (row) => [
  row.isServed && row.call && isHonoured(row.call) ? 'yes' : '',
  row.onResume ? onResume[row.onResume] : '',
])}

Where a column is empty: the option has no default; \`agent/served-option\` rejects it in a request to Mastra's server; a call that resumes a
run may only repeat its value. A call that resumes a run also takes \`toolCallId\`. *Repeated* options are those that a supervisor sends again.

A call may ask for more than its agent does, not for less: data may have come with a request. ${named(({ loosens }) => loosens !== undefined)}
may only be tightened: no guards in place of some, a weaker \`hold\`, a \`persistence\` that keeps more, and no approval are rejected with
\`agent/loosened-option\` where the agent or its \`defaultOptions\` say otherwise. A program may say as a function what a request cannot:
\`inputProcessors: () => []\`, \`requireToolApproval: () => false\`; the rest is said by \`defaultOptions\`, which may be a function of the request.

With \`durability\`, a call's options are kept with the run and have to be data. These stay in the process that waits for the run:
${named(({ isLocal }) => isLocal === true)}.

## Of the configuration

${optionsOf('config', [], () => [])}

## Methods

These would run a loop without the promises, and reject with \`agent/unsupported-method\`. Those of a network and the legacy ones work for an
agent without guards, which has nothing that they could skip; guards of the agents of a network hold there, too.

${table(
  ['method', 'why, and the alternative'],
  Object.entries(refusedMethods).map(([name, why]) => [quoted(name), sentence(why)]),
)}

## Of a run in the AI SDK

\`guardOptions\` of \`guardedToolLoop\`, and the options of \`createGuardedRun\` and of each adapter. Any other value is \`ai-sdk/invalid-option\`.

${table(
  ['option', 'takes'],
  Object.entries(guardOptionSchemas)
    .toSorted(byName)
    .map(([name, { description = '' }]) => [quoted(name), `${sentence(description)}.`]),
)}
`;

describe('docs/options.md', () => {
  it('says what becomes of every option', async () => expect(document).toMatchFileSnapshot('../../docs/options.md'));

  it('tells refusals apart', () => {
    expect(document).toContain('| `maxSteps` | A whole number from 1. | `5` | yes |');
    expect(document).toContain('| `eagerToolExecution` | Refused unless `false`. No tool runs before its step was judged. |');
    expect(document).toContain('| `network` | A network saves');
  });
});
