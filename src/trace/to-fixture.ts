import { formatTrace, headerOf, traceOfKind, type Trace } from './traces.js';
import { compareTraces } from './compare-traces.js';

/** Options of a fixture. */
interface FixtureOptions {
  /** The module that exports the agent or the guards, as the test imports it, e.g. `../src/support-agent.js`. */
  readonly from: string;
  /** The name of the export. Default `agent`. */
  readonly name?: string;
  /** The module specifier of the library. Default `mastra-interlock/replay`. */
  readonly library?: string;
  /**
   * The file of the trace, as `formatTrace` writes it, relative to the test, e.g. `./blocked.jsonl`: the test reads it and has
   * less than 80 lines. Default: the test contains the lines of the trace.
   */
  readonly trace?: string;
}

/**
 * A test file in TypeScript, for vitest, that replays a recorded run with an agent's guards and expects the same outcome and
 * verdicts. The test, or the file that it reads, contains the whole trace. Redact nothing that the replay needs, and check
 * what may be in your repository.
 *
 * @example
 * await writeFile('test/blocked.jsonl', formatTrace(trace));
 * await writeFile('test/blocked.test.ts', toFixture(trace, { from: '../src/support-agent.js', trace: './blocked.jsonl' }));
 */
export const toFixture = (trace: Trace, options: FixtureOptions): string => {
  const { from, name = 'agent', library = 'mastra-interlock/replay', trace: file } = options;
  const { agentId = 'agent' } = headerOf(trace);
  const result = traceOfKind(trace, 'result').at(-1);
  const { text = '' } = traceOfKind(trace, 'input')[0]?.messages.at(-1) ?? {};
  const title = `${agentId}, asked "${shortened(text)}": ${result?.status ?? 'unfinished'}`;
  return `${file === undefined ? '' : "import { readFileSync } from 'node:fs';\n"}import { expect, it } from 'vitest';
import { compareTraces, parseTrace, replay } from ${quoted(library)};
import { ${name} } from ${quoted(from)};

const trace = parseTrace(${file === undefined ? linesOf(trace) : `readFileSync(new URL(${quoted(file)}, import.meta.url), 'utf8')`});

it(${quoted(title)}, async () => {
  const replayed = await replay(trace, ${name});
  expect(replayed.endedAt).toBeUndefined();
  expect({ status: replayed.status, text: replayed.text }).toEqual(${JSON.stringify({ status: result?.status, text: result?.text ?? '' })});
  const { rows } = compareTraces(trace, replayed.trace);
  expect(rows.filter(({ differs }) => differs)).toEqual([]);${verdictsOf(trace)}
});
`;
};

const linesOf = (trace: Trace): string => {
  const lines = formatTrace(trace).trimEnd().split('\n');
  return `\n  [\n${lines.map((line) => `    ${quoted(line)},`).join('\n')}\n  ].join('\\n'),\n`;
};

/** With more verdicts than this, the test compares only the trace. */
const mostVerdicts = 50;

/** The verdicts other than passes, for readers of the test. */
const verdictsOf = (trace: Trace): string => {
  const verdicts = compareTraces(trace, trace).rows.flatMap(({ phase, processorId, after }) =>
    after && after.verdict !== 'pass' ? [`${phase} ${processorId}: ${after.verdict}`] : [],
  );
  if (verdicts.length === 0 || verdicts.length > mostVerdicts) return '';
  return `
  const verdicts = rows.map(({ phase, processorId, after }) => \`\${phase} \${processorId}: \${after?.verdict}\`);
  expect(verdicts.filter((verdict) => !verdict.endsWith(': pass'))).toEqual([
${verdicts.map((verdict) => `    ${quoted(verdict)},`).join('\n')}
  ]);`;
};

const mostTitle = 60;

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > mostTitle ? `${line.slice(0, mostTitle)}…` : line;
};

/** A text as TypeScript source. U+2028 and U+2029 are line ends for some tools, though not for TypeScript. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
