import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { phaseSchemas } from '../../schemas/index.js';
import { errorTable } from '../../src/errors.js';
import { phases, type Phase } from '../../src/index.js';
import { checks } from '../../src/pipeline/verify/checks.js';
import { subpathSources, inRoot } from './examples.js';
import { publicNames, type PublicName } from './exports.js';
import { fieldReasons, fieldRules, streamFields, type FieldName } from './stream-fields.js';

/** The first line of generated files; `npm run docs` rewrites all of them. */
const made = (from: string): string => `<!-- Made from ${from}: npm run docs -->`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const actors = {
  author: 'the author of the pipeline or the agent',
  operator: 'the operator of the application',
  caller: 'the caller of the agent',
  provider: 'the provider of the model',
} as const;

type Code = keyof typeof errorTable;
const codes = Object.keys(errorTable) as Code[];
const areas = [...new Set(codes.map((code) => code.split('/')[0] ?? ''))];

const errorsOf = (area: string): string =>
  table(
    ['code', 'actor', 'problem and solution'],
    codes
      .filter((code) => code.startsWith(`${area}/`))
      .map((code) => {
        const row: { actor: string; say: string; status?: number } = errorTable[code];
        const finding = code in checks ? ` Reported by [verify](../guide/verify.md#all-findings).` : '';
        const status = row.status === undefined ? '' : ` HTTP ${row.status}.`;
        return [`<a id="${code.replace('/', '-')}"></a>\`${code}\``, row.actor, `${row.say}${finding}${status}`];
      }),
  );

const errors = `${made('src/error-table.ts')}

# Errors, by code

Interlock raises errors of one class, \`InterlockError\`, with these fields:

- \`code\`: one of the codes below; codes are public API
- \`path\`: the guard, pipeline or option
- \`cause\`: the underlying error
- \`status\`: the HTTP status of a server's response, 500 by default
- \`actor\`: the role that can fix the error
- \`docs\`: the address of the code's entry on this page, such as \`…/errors.html#agent-unknown-option\` for \`agent/unknown-option\`. Node, the command line and the studio print it
  with the error. Until the package has a homepage, it is the path of this page in the installed package.

\`isInterlockError(error, code?)\` recognizes an error, also from another copy of the package. A guard that blocks raises no error: the run ends with \`status: 'tripwire'\`, unless
\`throwOnTripwire\` is set.

${table(
  ['actor', 'the role that can fix it'],
  Object.entries(actors).map(([actor, description]) => [`\`${actor}\``, description]),
)}

${areas.map((area) => `## ${area}\n\n${errorsOf(area)}`).join('\n\n')}
`;

interface Described {
  readonly description?: string | undefined;
}

type Row = readonly [name: string, meaning: string];

const fieldsOf = (phase: Phase): Row[] => {
  const shape: Readonly<Record<string, Described & { safeParse: (value: unknown) => { success: boolean } }>> =
    phaseSchemas[phase].shape;
  const fields = Object.entries(shape).filter(([name]) => name !== 'phase'); // it identifies the payload
  return fields.map(([name, field]): Row => {
    const optional = field.safeParse(undefined).success ? '?' : '';
    return [`\`${name}${optional}\``, field.description ?? ''];
  });
};

const phaseList = Object.values(phases);
const isIn =
  ([name, meaning]: Row) =>
  (phase: Phase): boolean =>
    fieldsOf(phase).some(([other, text]) => other === name && text === meaning);
/** Fields with one meaning in all phases. */
const everywhere = fieldsOf('input').filter((row) => phaseList.every(({ phase }) => isIn(row)(phase)));
const ownFieldsOf = (phase: Phase): Row[] => fieldsOf(phase).filter(([name]) => everywhere.every(([common]) => common !== name));

const chunkRows = streamFields.map(({ chunk, field, rule }) => {
  const { aiSdk, because } = fieldReasons[`${chunk}.${field}` as FieldName]; // a field of that chunk
  const names = aiSdk ? `\`${aiSdk.part ?? chunk}\`, \`${aiSdk.field ?? field}\`` : '';
  return { field: `\`${field}\``, others: [`\`${chunk}\``, names, `\`${rule}\``, because] as const };
});
/** Rows that differ only in the field are one row. */
const fieldRows = [...Map.groupBy(chunkRows, ({ others }) => others.join('|')).values()].map((rows) => {
  const [chunk = '', ...others] = rows[0]?.others ?? [];
  return [chunk, rows.map(({ field }) => field).join(', '), ...others];
});

const phasePage = `${made('src/phase/table.ts, schemas/phases and src/guard/stream-fields.ts')}

# Phases and fields

A guard is a processor with one or more of these hooks. A phase has one payload, which is the input and the output of a pipeline step. [Write a guard](../guide/write-a-guard.md) shows what each hook returns.

${table(
  ['phase', 'hook', 'called', 'array', 'a retry leads to', 'state of the loop', 'can overlap the model call'],
  phaseList.map((row) => [
    `[\`${row.phase}\`](#${row.phase.toLowerCase()})`,
    `\`${row.hook}\``,
    `per ${row.cadence}`.replace('per once', 'once').replace('per error', 'per failed call'),
    row.lane,
    row.retryLeadsTo,
    `\`${row.loopState}\``,
    'mayOverlap' in row ? 'yes' : '',
  ]),
)}

These fields are in the payload of every phase:

${table(['field', 'meaning'], everywhere)}

${phaseList
  .map(
    ({ phase, hook }) =>
      `## ${phase}\n\n${phaseSchemas[phase].shape.phase.description ?? ''} Hook: \`${hook}\`.\n\n${table(['field', 'meaning'], ownFieldsOf(phase))}`,
  )
  .join('\n\n')}

## Fields of a stream

This table shows how Interlock treats each field of a stream before it is sent. Results, steps, callbacks and messages are built from the sent chunks, so the same
rules apply to them. The chunks are Mastra's; the third column shows names that differ in the AI SDK. Interlock agents, and guards with a
pattern (\`redactor\`, \`unicodeGuard\` and your own), follow it.

A guard of a whole answer (\`processOutputStep\`, \`processOutputResult\`) gets messages. If it rejects the answer, no field is sent under \`hold: 'run'\`. Its edits reach each field that messages have. Messages have no
reasoning files, no custom chunks and no unknown fields: check these with \`processOutputStream\`.

${table(
  ['rule', 'meaning'],
  Object.entries(fieldRules).map(([rule, explanation]) => [`\`${rule}\``, explanation]),
)}

${table(['chunk', 'field', 'AI SDK', 'rule', 'reason'], fieldRows)}

**Values in pieces.** A pattern matches across parts and steps. A value may begin in one part (text or reasoning) and continue in the next part, or in the next part of the same type.
The first piece is then already sent, and the second piece is replaced or stops the run, so the value is never sent whole. In messages, a value over two parts is replaced where it
begins. Tool arguments are read one call at a time. In Mastra's own agent, a pattern reads each part separately.

## Without Mastra

A guard with \`traits: { portable: true }\` runs where \`@mastra/core\` is not installed, and is never the reason to load it. Built-in guards have this trait. A portable guard uses only:

- these members of \`messageList\`: \`get.all\`, \`get.input\`, \`get.response\` and \`get.remembered\`, each with \`db()\`; \`add\`, \`removeByIds\`, \`clear\`, \`updateToolInvocation\`; \`addSystem\`, \`getSystemMessages\`, \`getAllSystemMessages\`, \`clearSystemMessages\`, \`replaceAllSystemMessages\`
- all other arguments of a hook. They are the same everywhere.

It sends no signals, and does not check the class of the error that \`abort\` throws. Conditions, maps and functions of a pipeline have the same limits. If a guard of the run lacks the trait (your own, Mastra's, a step of a Mastra workflow) and Mastra is installed, it is loaded when the run starts: guards get Mastra's \`MessageList\`, and \`abort\` throws Mastra's \`TripWire\`. If it is not installed, another member fails the run with \`ai-sdk/needs-mastra\`, which names the member.

\`Processor\` of \`mastra-interlock/guards\` is the type of a guard: Mastra's own if \`@mastra/core\` is installed, otherwise one with the fields above.

## Hooks in the AI SDK

Each adapter [calls its own hooks](../guide/ai-sdk.md#one-run-in-several-parts). In addition:

- \`processInputStep\` never changes the AI SDK's own messages. A step that takes longer to prepare than \`budgetMs\` (200) is reported as \`prepare-step-slow\`.
- Guards of an answer get the whole conversation. Their edits of the caller's messages have no effect, and are reported as \`edit-dropped\`.
- \`processToolResult\` gets the call without the text and the other calls of its step. If it changes the arguments, the run fails.
- \`guardTools\` without a guarded model checks a call once for \`execute\`, once for \`needsApproval\` and once for the other functions of the tool. A function that returns an iterable streams only if its arguments were checked with the model's answer; otherwise only its last result counts.
- In a shared run, a rejected call passes the tool's \`inputSchema\`, so that the model gets the guard's reason, not a validation error. Without \`guardSettings\` or \`guardedToolLoop\`, a call that is repaired or refined after its guards does not run if a guard checks the whole response; otherwise it is checked again.
- A call that the AI SDK rejected has its error as its result. If a guard edits the call or the error, the parts contain only what the guard left. Arguments that are no JSON are not in messages: check them in \`processOutputStep\`.
- Calls that the provider runs, and their results, keep their place in the stream.
- Patterns check raw chunks and response bodies. Other guards do not see them, so do not request them if the provider's record may contain more than the answer. After an edit of an earlier step, provider records and request bodies that repeat the text are dropped.
- \`onStart\` gets the guarded tools, text parts always have a start and an end, and warnings about chunk timeouts of \`generateText\` are in its result.
`;

const kinds = { function: 'function', class: 'class', value: 'value', type: 'type' } as const satisfies Record<
  PublicName['kind'],
  string
>;

const described = ({ name, kind, about, members, path }: PublicName): string => {
  const head = `- [\`${name}\`](../${path}) (${kinds[kind]})${about === '' ? '' : `: ${about}`}`;
  const documented = members.filter((member) => member.about !== '');
  return [head, ...documented.map((member) => `  - \`${member.declared}\`: ${member.about}`)].join('\n');
};

const subpaths = Object.entries(subpathSources()).map(([subpath, entry]) => ({ subpath, names: publicNames(entry) }));

const namesPage = `${made('the TSDoc of the sources')}

# Public names

The values and types that each subpath of the package exports. Names are stable; the changelog lists removals and renames as major changes.

${subpaths
  .map(({ subpath, names }) => {
    const [values, types] = [names.filter(({ kind }) => kind !== 'type'), names.filter(({ kind }) => kind === 'type')];
    const list = (title: string, some: readonly PublicName[]) =>
      some.length > 0 ? `\n\n**${title}**\n\n${some.map(described).join('\n')}` : '';
    return `## ${subpath}${list('Values', values)}${list('Types', types)}`;
  })
  .join('\n\n')}
`;

describe('the reference', () => {
  it('lists every error', async () => {
    await expect(errors).toMatchFileSnapshot('../../docs/reference/errors.md');
    for (const code of codes) expect(errors).toContain(`\`${code}\` |`);
  });

  it('lists every phase and every emitted field', async () => {
    await expect(phasePage).toMatchFileSnapshot('../../docs/reference/phases.md');
    for (const { hook } of phaseList) expect(phasePage).toContain(`\`${hook}\``);
    for (const { field } of streamFields) expect(phasePage).toContain(`\`${field}\``);
  });

  it('pins the public names; the page with their descriptions is written to test-output/names.md', async () => {
    mkdirSync(inRoot('test-output'), { recursive: true });
    writeFileSync(inRoot('test-output/names.md'), namesPage);
    const pinned = subpaths.map(({ subpath, names }) =>
      [subpath, ...names.map(({ name, kind }) => `  ${kind} ${name}`)].join('\n'),
    );
    await expect(`${pinned.join('\n\n')}\n`).toMatchFileSnapshot('public-names.txt');
  });

  it.each(subpaths)('lists exactly the exports of $subpath', async ({ subpath, names }) => {
    const entry = subpathSources()[subpath] ?? '';
    const exported = Object.keys((await import(inRoot(entry))) as object).toSorted();
    expect(
      names
        .filter(({ kind }) => kind !== 'type')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(exported);
  });

  it('is linked from the index', () => {
    const index = readFileSync(inRoot('docs/README.md'), 'utf8');
    for (const page of ['errors', 'phases']) expect(index).toContain(`reference/${page}.md`);
  });
});
