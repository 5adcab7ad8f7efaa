import type { Trace } from './collect-traces.js';
import { formatTrace, headerOf } from './trace-lines.js';
import { traceOfKind } from './trace-of-kind.js';

/** What a fixture is made for. */
export interface FixtureOptions {
  /** The module that exports the agent or the guards, as the test is to import it, e.g. `../src/support-agent.js`. */
  readonly from: string;
  /** The name of the export. Default `agent`. */
  readonly name?: string;
  /** Where the test imports the library from. Default `mastra-interlock`. */
  readonly library?: string;
}

/**
 * A test file in TypeScript, for vitest, that replays a recorded run with an agent's guards and expects the same outcome and verdicts.
 * It holds the whole trace: redact nothing that the replay needs, and keep out of a repository what may not be in it.
 *
 * @example
 * await writeFile('test/blocked.test.ts', toFixture(trace, { from: '../src/support-agent.js' }));
 */
export const toFixture = (trace: Trace, { from, name = 'agent', library = 'mastra-interlock' }: FixtureOptions): string => {
  const { agentId = 'agent' } = headerOf(trace);
  const result = traceOfKind(trace, 'result').at(-1);
  const { text = '' } = traceOfKind(trace, 'input')[0]?.messages.at(-1) ?? {};
  const title = `${agentId}, asked "${shortened(text)}": ${result?.status ?? 'unfinished'}`;
  const lines = formatTrace(trace).trimEnd().split('\n');
  return `import { expect, it } from 'vitest';
import { compareTraces, parseTrace, replay } from ${quoted(library)};
import { ${name} } from ${quoted(from)};

const trace = parseTrace(
  [
${lines.map((line) => `    ${quoted(line)},`).join('\n')}
  ].join('\\n'),
);

it(${quoted(title)}, async () => {
  const replayed = await replay(trace, ${name});
  expect(replayed.endedAt).toBeUndefined();
  expect({ status: replayed.status, text: replayed.text }).toEqual(${JSON.stringify({ status: result?.status, text: result?.text ?? '' })});
  expect(compareTraces(trace, replayed.trace).rows.filter(({ differs }) => differs)).toEqual([]);
});
`;
};

const mostTitle = 60;

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > mostTitle ? `${line.slice(0, mostTitle)}…` : line;
};

/** A text as TypeScript writes it; line separators are no line ends to it, and to some tools they are. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
