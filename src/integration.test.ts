import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isInterlockError } from './errors.js';
import { checkIntegration, checkVersion, integrations, rangeOf } from './integration.js';

const names = Object.keys(integrations) as (keyof typeof integrations)[];
const { peerDependencies, peerDependenciesMeta, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, unknown>;
  devDependencies: Record<string, string>;
};

describe('integrations', () => {
  it('match the peer dependencies, each optional and of any version', () => {
    // The studio needs only the types of Hono; the classifier's worker loads its own package.
    const peers = [...names, '@huggingface/transformers', 'hono'];
    expect(peerDependencies).toEqual(Object.fromEntries(peers.map((name) => [name, '*'])));
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(peers.map((name) => [name, { optional: true }])));
  });

  it.each(names)('accept the installed version of %s', (name) => {
    expect(() => checkVersion(name, devDependencies[name] ?? '')).not.toThrow();
    expect(() => checkIntegration(name)).not.toThrow();
  });
});

describe('checkVersion', () => {
  const refusal = (version: string): string => {
    try {
      checkVersion('@mastra/core', version);
      return 'passes';
    } catch (error) {
      return isInterlockError(error, 'install/unsupported-version') ? error.message : String(error);
    }
  };

  it.each(['1.71.0', '1.71.1', '1.100.0', '1.71.0-alpha.3', '1.71.0+build.1'])('accepts %s', (version) =>
    expect(refusal(version)).toBe('passes'),
  );

  it.each(['2.0.0', '2.0.0-beta.1', '10.0.0'])('accepts the newer version %s with a warning', (version) => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    expect(refusal(version)).toBe('passes');
    expect(warn.mock.calls.flat()[0]).toContain(`@mastra/core ${version} is newer`);
  });

  it.each(['0.24.0', '1.9.0', '1.49.0', '1.70.9'])('rejects %s', (version) => {
    expect(refusal(version)).toContain(`at @mastra/core: ${rangeOf('@mastra/core')} is required, ${version} is installed.`);
  });
});
