// Writes docs/conformance.md: every statement of the specification, and the tests that hold it to it.
//   node scripts/conformance.mjs           writes the document
//   node scripts/conformance.mjs --check   fails where the document is not what would be written
// A test says in its title what it holds: `… [spec 2.18, 2.19]`. A statement without a test fails both, unless it is marked as open,
// with the reason; so does a title that names no statement, and an open statement that has a test.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = `${root}docs/conformance.md`;

const documents = {
  1: 'processInputStep',
  2: 'The processor interface',
  3: 'The guide to processors',
  4: 'The enhancement plan',
  5: "The AI SDK's prepareStep",
};

/** The function that a call is of, whatever is called on it: `it.each(rows)(…)` is of `it`. */
const calleeOf = (node) => {
  let at = node;
  while (at && at.type !== 'Identifier') at = at.type === 'MemberExpression' ? at.object : at.callee;
  return at?.name;
};

const textOf = (node) => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node?.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.cooked).join('…') : undefined;
};

/** The titles of tests and suites in a file. */
const titlesIn = (path) => {
  const titles = [];
  const { program } = parseSync(path, readFileSync(path, 'utf8'));
  new Visitor({
    CallExpression: (node) => {
      const title = ['it', 'test', 'describe'].includes(calleeOf(node.callee)) ? textOf(node.arguments[0]) : undefined;
      if (title !== undefined) titles.push(title);
    },
  }).visit(program);
  return titles;
};

const tag = / ?\[spec ([\d., ]+)\]/;

/** The tests of each statement. */
const testsById = () => {
  const tests = new Map();
  const folders = ['test', 'src', 'workflows', 'schemas'];
  const files = folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );
  for (const path of files.toSorted((a, b) => a.localeCompare(b, 'en')))
    for (const title of titlesIn(path)) {
      const [, ids = ''] = tag.exec(title) ?? [];
      for (const id of ids
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean))
        tests.set(id, [...(tests.get(id) ?? []), { path: relative(root, path), title: title.replace(tag, '') }]);
    }
  return tests;
};

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text) => `\`${cell(text).replaceAll('`', '')}\``;
const linked = ({ path, title }) => `[${path.replace(/^.*\//, '')}](../${path}) ${code(title)}`;

const rowOf = ({ id, section, says, open }, tests) =>
  `| ${id} | ${cell(section)} | ${cell(says)} | ${open ? `**open**: ${cell(open)}` : (tests.get(id) ?? []).map(linked).join('<br>')} |`;

const pageOf = ({ statements, disagreements }, tests) => {
  const isOpen = ({ open }) => open !== undefined;
  const sections = Object.entries(documents).flatMap(([number, name]) => [
    `## ${number}. ${name}`,
    '',
    '| | section | statement | tests |',
    '| --- | --- | --- | --- |',
    ...statements.filter(({ id }) => id.startsWith(`${number}.`)).map((row) => rowOf(row, tests)),
    '',
  ]);
  return [
    '# The specification and its tests',
    '',
    '<!-- Written by scripts/conformance.mjs from test/conformance/statements.json and the titles of the tests. Do not edit. -->',
    '',
    `${statements.length} statements in our own words; ${statements.filter(isOpen).length} of them are open, with the reason. A test whose title names a`,
    'statement, such as `[spec 2.18]`, holds us to it; a statement without one fails the build.',
    '',
    '## Disagreements between the documents',
    '',
    'The order is 2, 3, 1, 4; 5 is about the AI SDK.',
    '',
    '| topic | documents | choice | reason | statements |',
    '| --- | --- | --- | --- | --- |',
    ...disagreements.map(({ on, say, won, why, ids }) => `| ${[on, say, won, why].map(cell).join(' | ')} | ${ids.join(', ')} |`),
    '',
    ...sections,
  ].join('\n');
};

const complaintsOf = ({ statements, disagreements }, tests) => {
  const known = new Set(statements.map(({ id }) => id));
  const unknown = [...tests.keys(), ...disagreements.flatMap(({ ids }) => ids)].filter((id) => !known.has(id));
  return [
    ...statements.filter(({ id, open }) => !open && !tests.has(id)).map(({ id, says }) => `${id} has no test: ${says}`),
    ...statements.filter(({ id, open }) => open && tests.has(id)).map(({ id }) => `${id} has a test and is marked as open.`),
    ...(known.size < statements.length ? ['Two statements have the same id.'] : []),
    ...unknown.map((id) => `There is no statement ${id}.`),
  ];
};

const specification = JSON.parse(readFileSync(`${root}test/conformance/statements.json`, 'utf8'));
const tests = testsById();
const complaints = complaintsOf(specification, tests);
const page = pageOf(specification, tests);
if (process.argv.includes('--check')) {
  const written = readFileSync(document, 'utf8');
  if (written !== page) complaints.push('docs/conformance.md is out of date: run node scripts/conformance.mjs.');
} else writeFileSync(document, page);
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length > 0 ? 1 : 0;
