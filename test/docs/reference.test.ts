import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { phaseSchemas } from '../../schemas/index.js';
import { errorTable } from '../../src/errors.js';
import { phases, type Phase } from '../../src/index.js';
import { fieldRules, streamFields, type StreamField } from '../../src/guard/stream-fields.js';
import { checks } from '../../src/pipeline/verify/checks.js';
import { subpathSources, inRoot } from './examples.js';
import { publicNames, type PublicName } from './exports.js';

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
- \`docs\`: the address of the code's entry on this page, such as \`…/errors#agent-unknown-option\` for \`agent/unknown-option\`. Node, the command line and the studio print it
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

const fieldsOf = (phase: Phase): string => {
  const shape: Readonly<Record<string, Described & { safeParse: (value: unknown) => { success: boolean } }>> =
    phaseSchemas[phase].shape;
  const fields = Object.entries(shape).filter(([name]) => name !== 'phase'); // it identifies the payload
  const rows = fields.map(([name, field]) => {
    const optional = field.safeParse(undefined).success ? '?' : '';
    return [`\`${name}${optional}\``, field.description ?? ''];
  });
  return table(['field', 'meaning'], rows);
};

const phasePage = `${made('src/phase/table.ts and schemas/phases')}

# Phases

A guard is a processor with one or more of these hooks. The loop, the pipelines, the studio and this page all read this phase table. A payload is the input
and the output of a pipeline step.

${table(
  ['phase', 'hook', 'called', 'array', 'a retry leads to', 'state of the loop', 'can overlap the model call'],
  Object.values(phases).map((row) => [
    `[\`${row.phase}\`](#${row.phase.toLowerCase()})`,
    `\`${row.hook}\``,
    `per ${row.cadence}`.replace('per once', 'once').replace('per error', 'per failed call'),
    row.lane,
    row.retryLeadsTo,
    `\`${row.loopState}\``,
    'mayOverlap' in row ? 'yes' : '',
  ]),
)}

${Object.values(phases)
  .map(
    ({ phase, hook }) =>
      `## ${phase}\n\n${phaseSchemas[phase].shape.phase.description ?? ''} Hook: \`${hook}\`.\n\n${fieldsOf(phase)}`,
  )
  .join('\n\n')}
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

const fieldsPage = `${made('src/guard/stream-fields.ts')}

# Fields that leave

This page shows how Interlock treats each field of a stream before emitting it. Results, steps, callbacks and messages are built from the emitted chunks, so the same
rules apply to them. The chunks are Mastra's. Parts of the AI SDK have the same fields; the third column shows names that differ. An \`InterlockAgent\` and guards with a
pattern (\`redactor\`, \`unicodeGuard\` and your own) follow this table.

A guard of a whole answer (\`processOutputStep\`, \`processOutputResult\`) gets messages. If it rejects the answer, no field leaves under \`hold: 'run'\`. Its edits reach each field that messages have. Messages have no
reasoning files, no custom chunks and no unknown fields: judge these with \`processOutputStream\`.

${table(
  ['rule', 'meaning'],
  Object.entries(fieldRules).map(([rule, explanation]) => [`\`${rule}\``, explanation]),
)}

${table(
  ['chunk', 'field', 'AI SDK', 'rule', 'reason'],
  (streamFields as readonly StreamField[]).map(({ chunk, field, aiSdk, rule, because }) => [
    `\`${chunk}\``,
    `\`${field}\``,
    aiSdk ? `\`${aiSdk.part ?? chunk}\`, \`${aiSdk.field ?? field}\`` : '',
    `\`${rule}\``,
    because,
  ]),
)}

**Values in pieces.** A pattern matches across parts and steps. A value may begin in one part (text or reasoning) and continue in the next part, or in the next part of the same type.
The first piece is then already emitted, and the second piece is replaced or stops the run, so the value is never emitted whole. In messages, a value over two parts is replaced where it
begins. Tool arguments are read one call at a time. In Mastra's own agent, a pattern reads each part separately.
`;

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

  it('lists every phase', async () => {
    await expect(phasePage).toMatchFileSnapshot('../../docs/reference/phases.md');
    for (const { hook } of Object.values(phases)) expect(phasePage).toContain(`\`${hook}\``);
  });

  it('lists every emitted field', async () => {
    await expect(fieldsPage).toMatchFileSnapshot('../../docs/reference/fields.md');
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
    for (const page of ['errors', 'phases', 'fields']) expect(index).toContain(`reference/${page}.md`);
  });
});
