import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { libraryName } from './library.js';

it('libraryName contains the package name and version', () => {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
  expect(libraryName).toBe(`${name}@${version}`);
});
