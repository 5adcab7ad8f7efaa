import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { memoryEngine } from '../../src/index.js';
import { times } from '../modes.js';
import {
  afterApproval,
  alone,
  comparedBy,
  inAgentStream,
  inAiSdk,
  inStock,
  inStreamText,
  isDrawn,
  streamAndGenerate,
  type Exclusion,
} from './exclusions.js';
import { approving, generate, onMastra, stream } from './interlock-hosts.js';
import { onSdk, sdkWays, type SdkHost } from './sdk-hosts.js';
import { script, type Script } from './script.js';
import type { Observed } from './seen.js';

const durability = memoryEngine();

/** An entrance, its reference, and their intended differences. */
interface Entrance {
  readonly name: string;
  readonly run: (one: Script) => Promise<Observed>;
  readonly like: (one: Script) => Promise<Observed>;
  readonly but?: readonly Exclusion[];
  /** Its part of a script. Default: all of it. */
  readonly of?: (one: Script) => Script;
}

const generated = onMastra(generate);
const streamed = onMastra(stream);

const exclusionsOf = (name: string, { isStream, adapter }: SdkHost): readonly Exclusion[] => {
  if (adapter) return [...(isStream ? inStreamText : inAiSdk), ...alone[adapter]];
  if (!isStream) return inAiSdk;
  return name.startsWith('streamText') ? inStreamText : inAgentStream;
};

const entrances: readonly Entrance[] = [
  { name: 'stream', run: streamed, like: generated, but: streamAndGenerate },
  { name: 'generate, guards with a deadline', run: onMastra(generate, { hasDeadline: true }), like: generated },
  { name: 'stream, guards with a deadline', run: onMastra(stream, { hasDeadline: true }), like: streamed },
  { name: 'durable generate', run: onMastra(generate, { config: { durability } }), like: generated },
  { name: 'durable stream', run: onMastra(stream, { config: { durability } }), like: streamed },
  {
    name: 'resumed generate',
    run: onMastra(approving(generate), { requireApproval: true }),
    like: generated,
    but: afterApproval,
  },
  { name: 'resumed stream', run: onMastra(approving(stream), { requireApproval: true }), like: streamed, but: afterApproval },
  {
    name: 'durable generate, resumed',
    run: onMastra(approving(generate), { config: { durability }, requireApproval: true }),
    like: generated,
    but: afterApproval,
  },
  {
    name: 'durable stream, resumed',
    run: onMastra(approving(stream), { config: { durability }, requireApproval: true }),
    like: streamed,
    but: afterApproval,
  },
  ...Object.entries(sdkWays).map(([name, way]) => ({
    name: `AI SDK: ${name}`,
    run: onSdk(way),
    like: way.isStream ? streamed : generated,
    but: exclusionsOf(name, way),
    ...(way.of && { of: way.of }),
  })),
  { name: 'Mastra’s agent: generate', run: onMastra(generate, { isStock: true }), like: generated, but: inStock },
  { name: 'Mastra’s agent: stream', run: onMastra(stream, { isStock: true }), like: streamed, but: inStock },
];

it('the docs list every difference between entry points', () => {
  const anchorOf = (line: string) =>
    line
      .replaceAll(/^#+ |[^\p{L}\p{N}\- ]/gu, '')
      .toLowerCase()
      .replaceAll(' ', '-');
  const missing = [...streamAndGenerate, ...afterApproval, ...inStreamText, ...inStock, ...Object.values(alone).flat()].filter(
    ({ link }) => {
      const [file = '', anchor] = link.split('#');
      const headings = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('#'));
      return anchor && !headings.map(anchorOf).includes(anchor);
    },
  );
  expect(missing).toEqual([]);
});

describe('all entry points return the same result', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue()); // the AI SDK prints the errors of streams
  afterEach(() => void vi.restoreAllMocks());

  it.each(entrances.map((one) => [one.name, one] as const))('%s', async (_name, { run, like, but = [], of = (one) => one }) => {
    const compared = comparedBy(but);
    await fc.assert(
      fc.asyncProperty(script.map(of).filter(isDrawn(but)), async (one) => {
        expect(compared(await run(one))).toEqual(compared(await like(one)));
      }),
      times(12, 1_500),
    );
  });
});
