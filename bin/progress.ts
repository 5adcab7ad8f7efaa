import type { CommandIo } from './command.js';

/** Shows how far something is. */
export interface Progress {
  show(done: number, all: number): void;
  /** Takes the bar off the line. */
  end(): void;
}

const width = 30;

/** A bar on one line of the terminal; nothing where nobody sits at one. */
export const createProgress = ({ err, isTerminal = false }: CommandIo): Progress => {
  if (!isTerminal) return { show: () => undefined, end: () => undefined };
  let shown = '';
  return {
    show: (done, all) => {
      const filled = Math.round((done / all) * width);
      const line = `\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${all}`;
      if (line !== shown) err(line);
      shown = line;
    },
    end: () => err(`\r${' '.repeat(shown.length)}\r`),
  };
};
