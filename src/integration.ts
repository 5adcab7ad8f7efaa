import { InterlockError } from './errors.js';

/**
 * The packages that Interlock works with, and their supported versions: `from` is inclusive, `below` is exclusive. They are
 * optional peers of any version, so that npm installs Interlock with any versions of an application; the code that needs a
 * package checks its version at first use.
 */
export const integrations = {
  '@mastra/core': { from: '1.71.0', below: '2.0.0' },
  ai: { from: '7.0.0', below: '8.0.0' },
  '@libsql/client': { from: '0.15.0', below: '1.0.0' },
  '@opentelemetry/api': { from: '1.9.0', below: '2.0.0' },
  openworkflow: { from: '0.10.1', below: '0.11.0' },
  '@restatedev/restate-sdk': { from: '1.17.2', below: '2.0.0' },
  '@restatedev/restate-sdk-clients': { from: '1.17.2', below: '2.0.0' },
  '@dbos-inc/dbos-sdk': { from: '5.3.0', below: '6.0.0' },
  pg: { from: '8.11.3', below: '9.0.0' },
} as const satisfies Record<string, VersionRange>;

type Integration = keyof typeof integrations;

/** Versions of a package, without pre-releases: one counts as the version that it leads to. */
interface VersionRange {
  readonly from: string;
  readonly below: string;
}

/** A range as npm writes it. */
export const rangeOf = (name: Integration): string => `>=${integrations[name].from} <${integrations[name].below}`;

/** Packages already checked: installed versions do not change while a program runs. */
const supported = new Set<Integration>();

/**
 * Rejects an installed package that is too old, and warns once about one newer than the tested versions. A version that cannot be
 * read, as in a browser or in a bundle, passes. Raises `install/unsupported-version`.
 */
export const checkIntegration = (...names: readonly Integration[]): void => {
  for (const name of names.filter((each) => !supported.has(each))) {
    const version = installedVersion(name);
    if (version !== undefined) checkVersion(name, version);
    supported.add(name);
  }
};

/** Raises `install/unsupported-version`. */
export const checkVersion = (name: Integration, version: string): void => {
  const age = ageOf(name, version);
  if (age === 'tested') return;
  if (age === 'newer') return process.emitWarning(newerText(name, version), 'mastra-interlock'); // only Node can read versions
  throw new InterlockError('install/unsupported-version', {
    path: name,
    detail: `${rangeOf(name)} is required, ${version} is installed.`,
  });
};

/** Compares a version with the tested range. */
const ageOf = (name: Integration, version: string): 'older' | 'tested' | 'newer' => {
  const { from, below } = integrations[name];
  if (compare(version, from) < 0) return 'older';
  return compare(version, below) < 0 ? 'tested' : 'newer';
};

const newerText = (name: Integration, version: string): string =>
  `${name} ${version} is newer than the versions it is tested with (${rangeOf(name)}).`;

/** An installed package, with a finding if its version is not in the tested range. */
export interface InstalledIntegration {
  readonly name: Integration;
  readonly version: string;
  readonly severity?: 'error' | 'warning';
  readonly message?: string;
}

/** The installed packages among those that Interlock works with. */
export const installedIntegrations = (): InstalledIntegration[] =>
  (Object.keys(integrations) as Integration[]).flatMap((name): InstalledIntegration[] => {
    const version = installedVersion(name);
    if (version === undefined) return [];
    const age = ageOf(name, version);
    if (age === 'newer') return [{ name, version, severity: 'warning', message: newerText(name, version) }];
    if (age === 'tested') return [{ name, version }];
    return [{ name, version, severity: 'error', message: `${name} ${rangeOf(name)} is required, ${version} is installed.` }];
  });

/** The order of two versions by their numbers: negative if the first is older. */
const compare = (one: string, other: string): number => {
  const [ours, theirs] = [numbersOf(one), numbersOf(other)];
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at < 0 ? 0 : (ours[at] ?? 0) - (theirs[at] ?? 0);
};

const numbersOf = (version: string): number[] => version.split(/[.+-]/, 3).map(Number);

/**
 * The version of the package that an import from this file resolves to. It is read from the folders that Node searches, because
 * many packages do not export their package.json. `node:` modules are not imported, because guards also run outside Node.
 */
const installedVersion = (name: Integration): string | undefined => {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');
    for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
      const path = `${folder}/${name}/package.json`;
      if (existsSync(path)) return (JSON.parse(readFileSync(path, 'utf8')) as { version?: string }).version;
    }
  } catch {
    // No file system or module loader exists here.
  }
  return undefined;
};
