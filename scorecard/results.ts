import type { Cell } from './play.js';
import { causeOf, programOf } from './causes.js';
import type { Promised } from './scenario.js';

/** The cost of one host: CPU time of the process, the scripted server included, in the same run as the others. */
export interface Cost {
  /** Microseconds of CPU per streamed chunk, with three guards of the stream where the host has such a hook. */
  readonly chunkUs: number;
  /** Milliseconds of CPU per step of a run with four tool calls, with three guards of steps or answers. */
  readonly stepMs: number;
  /** Calls of one guard for 60 deltas. */
  readonly judgeCalls: number;
  /** Milliseconds to the first text of a stream, with two guards of the input that work for 200 ms each. Absent where the host has no such hook. */
  readonly firstTextMs?: number;
  /** The 99th percentile, in milliseconds, of how late the event loop is while 200 calls stream. */
  readonly delayMs: number;
}

export interface HostResult {
  readonly id: string;
  readonly name: string;
  /** Package name to version. */
  readonly versions: Readonly<Record<string, string>>;
  readonly docs: readonly string[];
  readonly cost?: Cost;
  readonly cells: readonly Cell[];
}

const promises: readonly Promised[] = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9', 'P10', 'P12'];

/** Cells of a promise that hold, of those that the host has hooks for. */
const passedOf = ({ cells }: HostResult, promise?: Promised): readonly [passed: number, total: number] => {
  const total = cells.filter(
    (cell) => (promise === undefined || cell.promise === promise) && (cell.status === 'holds' || cell.status === 'fails'),
  );
  return [total.filter(({ status }) => status === 'holds').length, total.length];
};

const score = (host: HostResult, promise?: Promised): string => {
  const [passed, total] = passedOf(host, promise);
  if (promise && !host.cells.some((cell) => cell.promise === promise)) return '-'; // not played
  return total === 0 ? 'no hook' : `${passed}/${total}`;
};

/** How many cells of a host hold, of those that were asked. */
export const totalOf = (host: HostResult): string => score(host);

/** The table of a terminal, with columns of equal width. */
export const terminalTable = (hosts: readonly HostResult[]): string => {
  const rows = [
    ['', ...promises, 'all'],
    ...hosts.map((host) => [host.name, ...promises.map((promise) => score(host, promise)), score(host)]),
  ];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const markdownRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The same table in Markdown, one row per host. */
const markdownTable = (hosts: readonly HostResult[]): string =>
  [
    markdownRow(['host', ...promises, 'all']),
    markdownRow(['---', ...promises.map(() => '---'), '---']),
    ...hosts.map((host) => markdownRow([host.name, ...promises.map((promise) => score(host, promise)), `**${score(host)}**`])),
  ].join('\n');

const linkOf = (host: string, scenario: string): string => {
  const cause = causeOf(host, scenario);
  const program = cause && programOf(host, cause.id);
  const reported = cause?.reported ? `, [reported](${cause.reported})` : '';
  return program ? `[${cause.title.replace(/\.$/u, '')}](../scorecard/${program})${reported}` : '';
};

const failuresOf = ({ id, cells }: HostResult): string[] => {
  const failed = cells.filter(({ status }) => status === 'fails');
  const modes = (scenario: string) =>
    failed
      .filter((cell) => cell.scenario === scenario)
      .map(({ mode }) => mode)
      .join(', ');
  return [...new Map(failed.map((cell) => [cell.scenario, cell])).values()].map(({ scenario, detail = '' }) =>
    markdownRow([`\`${scenario}\``, modes(scenario), detail.replaceAll('|', '\\|').slice(0, 200), linkOf(id, scenario)]),
  );
};

const missingOf = ({ cells }: HostResult): string => {
  const missing = [...new Set(cells.flatMap(({ status, detail }) => (status === 'no hook' && detail ? [detail] : [])))];
  return missing.length > 0 ? `Not run: ${missing.join('; ')}.` : 'All scenarios run.';
};

const section = (host: HostResult): string => {
  const versions = Object.entries(host.versions).map(([name, version]) => `${name} ${version}`);
  const failures = failuresOf(host);
  return [
    `### ${host.name}`,
    '',
    `${versions.join(', ')}. ${missingOf(host)}${host.docs.length > 0 ? ` Configured as in: ${host.docs.map((url) => `<${url}>`).join(', ')}.` : ''}`,
    '',
    ...(failures.length > 0
      ? [
          markdownRow(['scenario', 'mode', 'observed', 'cause, with a program']),
          markdownRow(['---', '---', '---', '---']),
          ...failures,
        ]
      : ['Every run kept its promise.']),
  ].join('\n');
};

/** The host with which the cost of every host is compared. */
const costBasis = 'mastra';

const costColumns: readonly {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  readonly of: keyof Cost;
}[] = [
  { title: 'CPU per chunk', unit: ' us', digits: 0, of: 'chunkUs' },
  { title: 'CPU per step', unit: ' ms', digits: 2, of: 'stepMs' },
  { title: 'guard calls for 60 deltas', unit: '', digits: 0, of: 'judgeCalls' },
  { title: 'first text, two input guards of 200 ms', unit: ' ms', digits: 0, of: 'firstTextMs' },
  { title: 'event loop delay (p99), 200 streams', unit: ' ms', digits: 0, of: 'delayMs' },
];

/** Each figure, and in brackets its ratio to that of the basis in the same run. */
const costCells = (cost: Cost, basis: Cost | undefined): string[] =>
  costColumns.map(({ of, unit, digits }) => {
    const [value, base] = [cost[of], basis?.[of]];
    if (value === undefined) return 'no hook';
    return `${value.toFixed(digits)}${unit}${base ? ` (${(value / base).toFixed(2)})` : ''}`;
  });

const costTable = (hosts: readonly HostResult[]): string => {
  const basis = hosts.find(({ id }) => id === costBasis)?.cost;
  const titles = ['host', ...costColumns.map(({ title }) => title)];
  return [
    markdownRow(titles),
    markdownRow(titles.map(() => '---')),
    ...hosts.flatMap(({ name, cost }) => (cost ? [markdownRow([name, ...costCells(cost, basis)])] : [])),
  ].join('\n');
};

/** The page of the documentation. Everything in it is computed from the results and the titles of the scenarios. */
export const page = (hosts: readonly HostResult[], titles: ReadonlyMap<string, string>): string => `# Scorecard

This page shows how agent hosts enforce a guard's verdict. \`npm run scorecard\` runs the same ${titles.size} scenarios on each host, with the same guards and tools, and the same model output from
an OpenAI-compatible server. A run is one scenario in one mode: \`generate\`, \`stream\`, or \`both\`, which compares the two. \`13/16\`: 13 of 16 runs kept the promise. A scenario does not
run on a host that documents no hook for it. [How to read and extend it](../scorecard/README.md). This page is generated from \`scorecard/results.json\`.

${markdownTable(hosts)}

## Cost

One session measures all hosts. Each has its own process, which also contains the scripted server. The guards pass everything. Brackets contain the ratio to Mastra's agent.

${costTable(hosts)}

## Failures

The last column links to a program of at most 40 lines that shows the failure with only the packages of that host: \`npx tsx FILE\`.
\`npm run scorecard -- --host ID --scenario SCENARIO\` repeats a run.

${hosts.map(section).join('\n\n')}

## Scenarios

${[...titles].map(([id, title]) => `- \`${id}\`: ${title}`).join('\n')}
`;
