import { describe, expect, it } from 'vitest';

import { guardOptionKinds } from '../../src/ai-sdk/guard-options.js';
import { isApplied, namesOf, optionTable } from '../../src/mastra/options/option-table.js';
import type { OptionRow, Treatment } from '../../src/mastra/options/option-row.js';
import { unsupportedMethods } from '../../src/mastra/agent/unsupported-methods.js';
import { propertyComments } from './exports.js';
import { mastraMeanings } from './option-meanings.js';

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const comments: Readonly<Record<string, string>> = {
  ...mastraMeanings,
  ...propertyComments('src/mastra/options/own-options.ts', 'ownOptions'),
};

type Cells = readonly string[];

const table = (heads: Cells, rows: readonly Cells[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const quoted = (name: string): string => `\`${name}\``;
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const rows = Object.entries(optionTable)
  .filter(([name]) => !name.startsWith('_')) // Mastra's internal fields
  .toSorted(byName);

/** The meaning of an option, with its default if the comment does not name it. */
const meaningOf = (name: string, { default: value }: OptionRow): string => {
  const meaning = comments[name] ?? '';
  if (value === undefined || meaning.includes('Default')) return meaning;
  return `${meaning} Default: ${JSON.stringify(value)}.`;
};

const valueOf = (treatment: Treatment | undefined): string | undefined =>
  treatment && isApplied(treatment) ? `${sentence(treatment.description ?? '')}.` : undefined;

/** The values of an option, for each place if they differ. */
const valuesOf = ({ call, config }: OptionRow): string => {
  const [inCall, inConfig] = [valueOf(call), valueOf(config)];
  if (inCall === undefined || inConfig === undefined || inCall === inConfig) return inCall ?? inConfig ?? '';
  return `Agent: ${inConfig} Call: ${inCall}`;
};

const onResume = { allowed: 'yes', delegated: 'repeated', 'allowed-and-delegated': 'yes' } as const;

const appliedRows = rows.flatMap(([name, row]): Cells[] => {
  const [inCall, inConfig] = [valueOf(row.call) !== undefined, valueOf(row.config) !== undefined];
  if (!inCall && !inConfig) return [];
  const place = inCall && inConfig ? 'both' : inCall ? 'call' : 'agent';
  const served = row.isServed && inCall ? 'yes' : '';
  return [[quoted(name), meaningOf(name, row), valuesOf(row), place, served, row.onResume ? onResume[row.onResume] : '']];
});

const ignoredRows = rows.flatMap(([name, { call, config }]): Cells[] => {
  const [first, ...others] = [config, call].filter((one) => one && !isApplied(one) && one.reported !== 'never');
  if (!first || isApplied(first)) return [];
  const unless = first.reported === 'unless-false' ? ' No warning if it is `false`.' : '';
  const place = others.length > 0 ? 'both' : first === call ? 'call' : 'agent';
  return [[quoted(name), place, `${sentence(first.detail ?? '')}${unless}`]];
});

/** Names of the matching options, as a list in a sentence. */
const listed = (names: Iterable<string>): string =>
  [...names]
    .toSorted()
    .map(quoted)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');
const named = (holds: (row: OptionRow) => boolean): string => listed(namesOf(holds));

const silent = listed(rows.flatMap(([name, { call }]) => (call && !isApplied(call) && call.reported === 'never' ? [name] : [])));

const methodRows = [...Map.groupBy(Object.entries(unsupportedMethods), ([, why]) => why)].map(([why, methods]) => [
  methods.map(([name]) => quoted(name)).join(', '),
  sentence(why),
]);

const guardComments = propertyComments('src/ai-sdk/guard-options.ts', 'guardOptionKinds');

const document = `<!-- Made from src/mastra/options, src/mastra/agent/unsupported-methods.ts and src/ai-sdk/guard-options.ts: npm run docs -->

# Options

This page lists every option of an Interlock agent and its calls: Mastra's and Interlock's own. An option takes the values of its row; any other value is rejected with
\`agent/invalid-option\` and the path in the value. All checks run before any model call. \`undefined\` and \`null\` count as an absent option.

An option that is in no table is ignored, as in Mastra. One warning per agent names it and the alternative, at
construction or with the first call. If a promise may depend on it, it is rejected instead, with \`agent/unknown-option\`: Interlock's own options, and
${named(({ protects }) => protects === true)}, if they are misspelt or in the wrong place.

## Of an agent and its calls

${table(['option', 'meaning', 'value', 'set on', 'from a client', 'on resume'], appliedRows)}

## Of a call

- **From a client**: a request to Mastra's server may set it. Others are rejected with \`agent/served-option\`.
- **On resume**: a call that resumes a run may set it, and \`toolCallId\`. Others may only repeat their value. A supervisor sends *repeated* options again.
- **A call may tighten the rules of its agent, but not loosen them**, because its data may come from a request. This applies to
  ${named(({ loosens }) => loosens !== undefined)}. If the agent or its \`defaultOptions\` set a stricter value, these values are rejected with
  \`agent/loosened-option\`: an empty list of guards, a weaker \`hold\`, a \`persistence\` that keeps more, and no approval. Your own code can pass a
  function, which a request cannot contain: \`inputProcessors: () => []\`, \`requireToolApproval: () => false\`. To loosen the other options, use
  \`defaultOptions\`, which may be a function of the request.
- **With \`durability\`**, the options of a call are stored with the run and must be serializable data. Only these stay in the process that waits for the run:
  ${named(({ isLocal }) => isLocal === true)}.

## Ignored options

These options of Mastra have no effect here. One warning per agent names them:

${table(['option', 'set on', 'reason and alternative'], ignoredRows)}

Hosts add these options to calls, so they are ignored without a warning: ${silent}.

## Methods

These methods would run a loop without Interlock's promises, so they reject with \`agent/unsupported-method\`. The network and legacy methods work for
an agent without guards. Guards of the agents in such a network still apply.

${table(['method', 'reason and alternative'], methodRows)}

## Of a run in the AI SDK

These are the \`guardOptions\` of \`guardedToolLoop\`, and the options of \`createGuardedRun\` and of each adapter. Any other value is rejected with
\`ai-sdk/invalid-option\`.

${table(
  ['option', 'meaning', 'value'],
  Object.entries(guardOptionKinds)
    .toSorted(byName)
    .map(([name, { description }]) => [quoted(name), guardComments[name] ?? '', `${sentence(description)}.`]),
)}
`;

describe('docs/options.md', () => {
  it('lists the behavior of every option', async () => expect(document).toMatchFileSnapshot('../../docs/options.md'));

  it('has a meaning for every option that has an effect', () => {
    const unexplained = appliedRows.filter(([, meaning]) => meaning === '');
    expect(unexplained).toEqual([]);
    expect(Object.keys(guardOptionKinds).filter((name) => !guardComments[name])).toEqual([]);
  });

  it('distinguishes kinds of treatment', () => {
    expect(document).toContain(
      '| `maxSteps` | The maximum number of steps. Default: 5. | An integer of 1 or more. | call | yes |',
    );
    expect(document).toContain(
      '| `eagerToolExecution` | call | No tool runs before its step is judged. No warning if it is `false`. |',
    );
    expect(document).toContain('| `network`, `resumeNetwork`, ');
  });

  it('never describes an ignored option as applied', () => {
    const applied = new Set(appliedRows.map(([name, , , place]) => `${name} ${place}`));
    expect(ignoredRows.filter(([name, place]) => applied.has(`${name} ${place}`) || applied.has(`${name} both`))).toEqual([]);
    expect(ignoredRows.length).toBeGreaterThan(5);
  });
});
