// Writes docs/conformance.md: every statement of the specification, and the tests that hold it to it.
//   node scripts/conformance.mjs           writes the document
//   node scripts/conformance.mjs --check   fails where the document is not what would be written
// A test's title names its statements: `… [spec 2.18, 2.19]`. The document quotes its assertions. Both commands fail for a statement
// without a test that is not marked as open, a test without an assertion, a title with an unknown statement, and an open statement with a test.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Visits an expression and all inside it. */
const visit = (expression, visitors) =>
  new Visitor(visitors).visit({ type: 'Program', body: [{ type: 'ExpressionStatement', expression }] });

/** The calls of `expect` and of functions such as `expectVisible`; the outermost calls come first. */
const expectationsIn = (expression) => {
  const calls = [];
  visit(expression, {
    CallExpression: (node) => {
      const isInside = calls.length > 0 && node.end <= calls.at(-1).end;
      if (!isInside && calleeOf(node.callee)?.startsWith('expect')) calls.push(node);
    },
  });
  return calls;
};

/** The tests and suites of a file: their titles and assertions. If a test has none, those of the variables that it names. */
const testsIn = (path) => {
  const source = readFileSync(path, 'utf8');
  const variables = new Map();
  const found = [];
  new Visitor({
    VariableDeclarator: ({ id, init }) => id.type === 'Identifier' && init && variables.set(id.name, init),
    CallExpression: (node) => {
      const title = ['it', 'test', 'describe'].includes(calleeOf(node.callee)) ? textOf(node.arguments[0]) : undefined;
      if (title !== undefined) found.push({ title, node });
    },
  }).visit(parseSync(path, source).program);
  const assertionsOf = (node, seen) => {
    const own = expectationsIn(node);
    if (own.length > 0) return own.map(({ start, end }) => source.slice(start, end).replaceAll(/\s+/g, ' '));
    const names = new Set();
    visit(node, { Identifier: ({ name }) => variables.has(name) && !seen.has(name) && names.add(name) });
    return [...names].flatMap((name) => assertionsOf(variables.get(name), seen.add(name)));
  };
  return found.map(({ title, node }) => ({ title, assertions: () => assertionsOf(node, new Set()) }));
};

const tag = / ?\[spec ([\d., ]+)\]/;

/** The tests of each statement. */
const testsById = () => {
  const tests = new Map();
  const files = globSync('{test,src,workflows,schemas}/**/*.test.ts', {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'), // npm may be at work there
  });
  for (const path of files.toSorted((a, b) => a.localeCompare(b, 'en')))
    for (const { title, assertions } of testsIn(`${root}${path}`)) {
      const [, ids = ''] = tag.exec(title) ?? [];
      for (const id of ids
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean))
        tests.set(id, [...(tests.get(id) ?? []), { path, title: title.replace(tag, ''), assertions: assertions() }]);
    }
  return tests;
};

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text) => `\`${cell(text).replaceAll('`', '')}\``;
const shortened = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
const linked = ({ path, title, assertions }) =>
  [`[${path.replace(/^.*\//, '')}](../${path}) ${cell(title)}`, ...assertions.map((one) => code(shortened(one)))].join('<br>');

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
    '<!-- Written by scripts/conformance.mjs from test/conformance/statements.json and the tests. Do not edit. -->',
    '',
    `${statements.length} statements in our own words; ${statements.filter(isOpen).length} of them are open, with the reason. A test whose title names a`,
    'statement, such as `[spec 2.18]`, holds us to it, and its assertions are quoted below the title. A statement without a test fails the build,',
    'and so does a test without an assertion.',
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
    ...[...tests.values()]
      .flat()
      .flatMap(({ path, title, assertions }) => (assertions.length > 0 ? [] : [`${path}: "${title}" asserts nothing.`])),
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
