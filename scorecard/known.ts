import { existsSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;

/** The module of each host; ours and stock hosts of our own dependencies first. */
const own: Readonly<Record<string, string>> = {
  interlock: 'ours/interlock.ts',
  'interlock-hold': 'ours/interlock.ts',
  'interlock-durable': 'ours/interlock-durable.ts',
  'interlock-mastra-agent': 'ours/interlock-mastra-agent.ts',
  'interlock-ai-sdk': 'ours/interlock-ai-sdk.ts',
  mastra: 'ours/mastra.ts',
  'mastra-workflow': 'ours/mastra-workflow.ts',
  'mastra-durable': 'ours/mastra-durable.ts',
  'ai-sdk': 'ours/ai-sdk.ts',
};
const others = Object.fromEntries(
  ['openai-agents', 'langchain', 'voltagent', 'genkit', 'adk'].map((id) => [id, `hosts/${id}.ts`]),
);
export const known: Readonly<Record<string, string>> = { ...own, ...others };

export const areOthersInstalled = existsSync(path.join(folder, 'hosts/node_modules'));
export const installed = Object.keys(areOthersInstalled ? known : own);

/** A message for the person at the terminal, with a code for programs. */
export class UsageError extends Error {
  constructor(
    readonly code: `scorecard/${string}`,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

export interface Task {
  readonly file: string;
  /** The hosts of the module that are played. Default: all. */
  readonly ids: readonly string[];
}

/** A known host by its id, or an adapter by its file, relative to where the command was called (npm changes the folder of a script). */
export const taskOf = (host: string): Task => {
  if (/\.[mc]?[jt]s$/u.test(host)) {
    const file = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), host);
    if (!existsSync(file)) throw new UsageError('scorecard/no-file', `there is no file ${file}`);
    return { file, ids: [] };
  }
  const file = known[host];
  if (!file)
    throw new UsageError(
      'scorecard/unknown-host',
      `there is no host "${host}"; known: ${Object.keys(known).join(', ')}; or pass the file of an adapter`,
    );
  if (!installed.includes(host))
    throw new UsageError('scorecard/not-installed', `"${host}" is not installed; npm ci --prefix scorecard/hosts installs it`);
  return { file: path.join(folder, file), ids: [host] };
};
