import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { memoryEngine } from '../../src/index.js';
import { times } from '../modes.js';
import {
  afterApproval,
  comparedBy,
  inAgentStream,
  inAiSdk,
  inStreamText,
  isDrawn,
  streamAndGenerate,
  type Exclusion,
} from './exclusions.js';
import { approving, generate, onInterlock, stream } from './interlock-hosts.js';
import { onSdk, sdkWays } from './sdk-hosts.js';
import { script, type Script } from './script.js';
import type { Seen } from './seen.js';

const durability = memoryEngine();

/** An entrance, the one it is compared with, and where they differ on purpose. */
interface Entrance {
  readonly name: string;
  readonly run: (one: Script) => Promise<Seen>;
  readonly like: (one: Script) => Promise<Seen>;
  readonly but?: readonly Exclusion[];
}

const generated = onInterlock(generate);
const streamed = onInterlock(stream);

const exclusionsOf = (name: string, isStream: boolean): readonly Exclusion[] => {
  if (!isStream) return inAiSdk;
  return name.startsWith('streamText') ? inStreamText : inAgentStream;
};

const entrances: readonly Entrance[] = [
  { name: 'stream', run: streamed, like: generated, but: streamAndGenerate },
  { name: 'durable generate', run: onInterlock(generate, { durability }), like: generated },
  { name: 'durable stream', run: onInterlock(stream, { durability }), like: streamed },
  { name: 'resumed generate', run: onInterlock(approving(generate), {}, true), like: generated, but: afterApproval },
  { name: 'resumed stream', run: onInterlock(approving(stream), {}, true), like: streamed, but: afterApproval },
  {
    name: 'durable generate, resumed',
    run: onInterlock(approving(generate), { durability }, true),
    like: generated,
    but: afterApproval,
  },
  {
    name: 'durable stream, resumed',
    run: onInterlock(approving(stream), { durability }, true),
    like: streamed,
    but: afterApproval,
  },
  ...Object.entries(sdkWays).map(([name, way]) => ({
    name: `AI SDK: ${name}`,
    run: onSdk(way),
    like: way.isStream ? streamed : generated,
    but: exclusionsOf(name, way.isStream),
  })),
];

it('a page says where entrances differ', () => {
  const anchorOf = (line: string) => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-');
  const missing = [...streamAndGenerate, ...afterApproval, ...inStreamText].filter(({ link }) => {
    const [file = '', anchor] = link.split('#');
    const headings = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('#'));
    return anchor && !headings.map(anchorOf).includes(anchor);
  });
  expect(missing).toEqual([]);
});

describe('every entrance gives its caller the same', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue()); // the AI SDK prints the errors of streams
  afterEach(() => void vi.restoreAllMocks());

  it.each(entrances)('$name', async ({ run, like, but = [] }) => {
    const compared = comparedBy(but);
    await fc.assert(
      fc.asyncProperty(script.filter(isDrawn(but)), async (one) => {
        expect(compared(await run(one))).toEqual(compared(await like(one)));
      }),
      times(15, 1_500),
    );
  });
});
