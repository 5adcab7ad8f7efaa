import type { Mastra } from '@mastra/core/mastra';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadEntry } from '../playground/server/command/load-entry.js';
import { InterlockError, isInterlockError, verify, type Finding } from '../src/index.js';
import { messageOf } from '../src/errors.js';
import { installedIntegrations, type InstalledIntegration } from '../src/integration.js';
import { collectRejections, type Rejection } from '../src/mastra/agent/read-config.js';
import { checkMemory } from '../src/mastra/memory/memory.js';
import { sourcesIn, lineAt, literalAt, maskedOf, topLevelOf } from './source-text.js';
import { misused, type Command, type CommandIo } from './command.js';
import { faultOfCallOption } from '../src/mastra/options/option-table.js';

/** One result of a check of an application. */
interface Line {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** The findings about one agent. */
interface CheckedAgent {
  readonly id: string;
  /** `stock`: an agent of Mastra's, which has no guards of ours to check. */
  readonly kind: 'interlock' | 'stock';
  readonly findings: readonly Line[];
}

/** Checks every agent of an application without running any. */
export const check: Command = {
  name: 'check',
  summary: 'Checks the agents of an application: invalid options, guards that cannot work, package versions.',
  usage: `mastra-interlock check --entry src/mastra/index.ts [--strict] [--json]

  --entry <file>  A module that exports a Mastra instance, as \`mastra\` or as
                  its default.
  --strict        Warnings also fail the check.
  --json          Prints one JSON object: { versions, agents, calls }.

Exit code: 0 if there are no errors, 1 if there are, 2 if the entry cannot be loaded.`,
  run: async (args, io) => {
    const { values } = parseArgs({
      args: [...args],
      options: { entry: { type: 'string' }, strict: { type: 'boolean' }, json: { type: 'boolean' } },
    });
    if (values.entry === undefined) return misused(io, check, '--entry is missing.');
    const path = resolve(io.cwd, values.entry);
    const { built, rejections } = await collectRejections(() => withoutExit(path, () => loadEntry(path)));
    const agents = await checkAgents(built, rejections);
    const versions = installedIntegrations();
    const calls = callsIn(applicationOf(path, io.cwd), io.cwd);
    if (values.json) io.out(`${JSON.stringify({ versions, agents, calls }, undefined, 2)}\n`);
    else print(io, { agents, versions, calls });
    const all = [...versions, ...agents.flatMap(({ findings }) => findings), ...calls];
    return all.some(({ severity }) => severity === 'error' || (values.strict && severity === 'warning')) ? 1 : 0;
  },
};

/** Loads an entry that may end the process, also after its start, for example because of a missing key. */
const withoutExit = async <T>(path: string, load: () => Promise<T>): Promise<T> => {
  const { exit } = process;
  const ended = Promise.withResolvers<never>();
  process.exit = (code) => {
    throw new Error(`it calls process.exit(${code ?? ''})`);
  };
  process.on('uncaughtException', ended.reject);
  try {
    return await Promise.race([load(), ended.promise]);
  } catch (cause) {
    throw isInterlockError(cause)
      ? cause
      : new InterlockError('command/failed-module', { path, detail: messageOf(cause), cause });
  } finally {
    process.exit = exit;
    process.off('uncaughtException', ended.reject);
  }
};

/** The folder of the application: the nearest one with a package.json, else that of the entry. */
const applicationOf = (entry: string, cwd: string): string => {
  const own = dirname(entry);
  for (let folder = own; folder.startsWith(cwd); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === cwd) break;
  }
  return own;
};

/** Options at the application's calls of agents that have no effect or are rejected. */
const callsIn = (folder: string, cwd: string): Line[] =>
  sourcesIn(folder).flatMap((file) =>
    callFaultsIn(readFileSync(file, 'utf8')).map(({ line, ...fault }) => ({ ...fault, path: `${relative(cwd, file)}:${line}` })),
  );

/** Unregistered agents are checked too, if they were built. */
const checkAgents = async (mastra: Mastra, rejections: readonly Rejection[]): Promise<CheckedAgent[]> => {
  const rejectionsOf = (id: string): Line[] => rejections.filter(({ agentId }) => agentId === id).map(lineOfRejection);
  const registered = await Promise.all(
    Object.values(mastra.listAgents()).map(async (agent): Promise<CheckedAgent> => {
      const { id } = agent;
      if (!isOurs(agent)) return { id, kind: 'stock', findings: [] };
      return { id, kind: 'interlock', findings: [...rejectionsOf(id), ...(await memoryOf(agent)), ...verify(agent).map(lineOf)] };
    }),
  );
  const known = new Set(registered.map(({ id }) => id));
  const others = new Set(rejections.map(({ agentId }) => agentId).filter((id) => !known.has(id)));
  return [...registered, ...[...others].map((id): CheckedAgent => ({ id, kind: 'interlock', findings: rejectionsOf(id) }))];
};

type AnyAgent = ReturnType<Mastra['listAgents']>[string];
type OwnAgent = AnyAgent & { findings(): readonly Finding[] };

/** Includes agents of another copy of this package. */
const isOurs = (agent: AnyAgent): agent is OwnAgent => 'findings' in agent && typeof agent.findings === 'function';

/** Memory options that the loop does not support. A memory function is not called, because it needs a request. */
const memoryOf = async (agent: AnyAgent): Promise<Line[]> => {
  try {
    const memory = await agent.getMemory();
    if (memory) checkMemory(memory.getMergedThreadConfig());
    return [];
  } catch (error) {
    return isInterlockError(error) ? [lineOf(error)] : [];
  }
};

const lineOfRejection = ({ error, isIgnored }: Rejection): Line => ({
  ...lineOf(error),
  ...(isIgnored && { severity: 'warning' }),
});

const lineOf = (found: Finding | Rejection['error']): Line => {
  const { code, path = '', message } = found;
  return { severity: 'severity' in found ? found.severity : 'error', code, path, message };
};

interface Checked {
  readonly agents: readonly CheckedAgent[];
  readonly versions: readonly InstalledIntegration[];
  readonly calls: readonly Line[];
}

const print = ({ out }: CommandIo, { agents, versions, calls }: Checked): void => {
  for (const { name, version, severity, message } of versions)
    out(severity ? `${severity.padEnd(7)}  ${message}\n` : `ok       ${name} ${version}\n`);
  for (const { id, kind, findings } of agents) {
    const kindNote = kind === 'stock' ? " (Mastra's own agent, not checked)" : '';
    out(`${findings.length === 0 ? 'ok       ' : ''}${id}${kindNote}\n`);
    for (const { severity, code, path, message } of findings)
      out(`  ${severity.padEnd(7)}  ${message.includes(code) ? message : `[${code}] at ${path}: ${message}`}\n`);
  }
  for (const { severity, path, message } of calls) out(`${severity.padEnd(7)}  ${path}: ${message}\n`);
};

/** The names that a file gives to agents: variables of new and of found ones, and names with `agent` in them. */
const agentNames = (masked: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      masked.matchAll(/\b([\w$]+)\s*=\s*(?:await\s+)?(?:new\s+\w*Agent\b|[\w$.?]*\.getAgent(?:ById)?\()/g),
      ([, name]) => name ?? '',
    ),
  );

/**
 * Options without effect at calls of agents in a file. Only options that are written at the call are read, not those in variables. An
 * object counts as an agent if its name contains `agent`, or if the file creates or finds it as one.
 */
export const callFaultsIn = (source: string) => {
  const masked = maskedOf(source);
  const agents = agentNames(masked);
  return Array.from(
    masked.matchAll(
      /\b([\w$]{1,80})(?:\([^()]{0,200}\))?\s{0,80}[?!]?\.\s{0,80}(?:generate|stream)\s{0,8}(?:<[^>(]{0,200}>\s{0,8})?\(/g,
    ),
  ).flatMap(({ index, 0: call, 1: receiver = '' }) => {
    if (!/agent/i.test(receiver) && !agents.has(receiver)) return [];
    const line = lineAt(source, index);
    return optionsAt(masked, index + call.length - 1).flatMap(({ name, value }) => {
      const fault = ['null', 'undefined'].includes(value) ? undefined : faultOfCallOption(name, simpleValue(value));
      if (!fault) return [];
      const { code, ignoredName, detail = 'it is not supported.' } = fault;
      return [
        { severity: ignoredName === undefined ? 'error' : 'warning', code, line, message: `"${name}": ${detail}` } as const,
      ];
    });
  });
};

/** A number or a truth value. Undefined for other texts. */
const simpleValue = (text: string): unknown => (/^(?:true|false|\d+(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : undefined);

/** The names in the literal that is the last of two arguments, each with the text of a simple value. */
const optionsAt = (masked: string, open: number): { name: string; value: string }[] => {
  const comma = topLevelOf(masked, open).indexOf(',');
  const second = literalAt(masked, open + comma + 2);
  if (comma < 0 || masked[second] !== '{') return [];
  return topLevelOf(masked, second)
    .split(',')
    .flatMap((entry) => {
      const [, name, value = ''] = /^\s*([\w$]+)\s*(?::\s*([\w$.]*)|$)/.exec(entry) ?? [];
      return name === undefined ? [] : [{ name, value }];
    });
};
