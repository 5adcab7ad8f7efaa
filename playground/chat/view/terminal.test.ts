import { describe, expect, it } from 'vitest';
import { openTerminal } from './terminal.js';

describe('colour', () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, false],
    [{}, { CI: 'true' }, false],
    [{}, { FORCE_COLOR: '1' }, true],
    [{}, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('%j %j', (stream, env, isColored) => {
    const { paint } = openTerminal({ write: () => true, ...stream } as never, env);
    expect(paint.red('x') !== 'x').toBe(isColored);
  });
});
