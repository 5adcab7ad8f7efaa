import { describe, expect, it } from 'vitest';
import { readCommandLine } from './command-line.js';

describe('the command line', () => {
  it.each([
    [['--nope'], "Unknown option '--nope'. See --help."],
    [['hello'], "Unexpected argument 'hello'. See --help."],
    [['--once'], "Option '--once <value>' argument missing. See --help."],
    [['--once', ' '], '--once needs a text'],
    [['--json=yes'], "Option '--json' does not take an argument. See --help."],
  ])('rejects %j', (args, message) => {
    expect(readCommandLine(args)).toMatchObject({ kind: 'wrong', message: expect.stringContaining(message) });
  });

  it('accepts a text that looks like an option', () => {
    expect(readCommandLine(['--once=--json'])).toEqual({ kind: 'once', json: false, text: '--json' });
    expect(readCommandLine(['--json', '--once', 'Hi'])).toEqual({ kind: 'once', json: true, text: 'Hi' });
    expect(readCommandLine([])).toEqual({ kind: 'chat', json: false });
  });
});
