import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { installedIntegrations } from '../../src/integration.js';
import { installFault } from '../../bin/install-fault.js';

const core = { name: '@mastra/core', version: '0.24.9', severity: 'error', message: 'too old' } as const;

it('finds no fault with the packages of this repository', () => {
  expect(installFault('24.21.0', installedIntegrations())).toBeUndefined();
});

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};

it.each(['20.20.2', '22.12.0', '18.0.0'])('names the required Node version on Node %s', (node) => {
  expect(installFault(node, [core])).toBe(`Interlock needs Node ${engines.node.slice(2)} or newer; this is Node ${node}.`);
});

it('names the required and the installed version of Mastra, and the command', () => {
  expect(installFault('22.13.0', [core])).toBe(
    "Interlock's commands need @mastra/core >=1.71.0 <2.0.0, and 0.24.9 is installed. Run: npm install @mastra/core@latest",
  );
  expect(installFault('22.13.0', [])).toBe(
    "Interlock's commands need @mastra/core >=1.71.0 <2.0.0. Run: npm install @mastra/core@latest",
  );
});
