import { createInterface } from 'node:readline';

/** Lines that somebody types, or that a pipe brings. */
export interface Lines {
  /** Asks for the next line; nothing at the end of the input. */
  next(): Promise<string | undefined>;
  close(): void;
}

/** A stream that may be a terminal; Node leaves `isTTY` away from those that are not. */
type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown };
type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface LineOptions {
  readonly input: Input;
  /** Where the prompt and what is typed are shown. */
  readonly output: Output;
  readonly prompt: string;
}

/** Opens the input. At a terminal, Ctrl+C and Ctrl+D at the prompt end it; between prompts Ctrl+C is a signal again. */
export const openLines = ({ input, output, prompt }: LineOptions): Lines => {
  const isTyped = (input.isTTY ?? false) && (output.isTTY ?? false);
  const reader = createInterface({ input, output, terminal: isTyped, prompt });
  const waiting: string[] = [];
  let isOver = false;
  let isAsking = false;
  let wake: () => void = () => undefined;

  reader.on('line', (line) => {
    waiting.push(line);
    wake();
  });
  reader.on('close', () => {
    isOver = true;
    if (isTyped && isAsking) output.write('\n');
    wake();
  });
  reader.on('SIGINT', () => reader.close());

  const attend = (asking: boolean) => {
    isAsking = asking;
    if (!isTyped || isOver) return;
    // Raw mode swallows the signal of Ctrl+C, so it is on at the prompt only.
    input.setRawMode?.(asking);
    if (asking) reader.resume();
    else reader.pause();
  };
  const news = () => new Promise<void>((resolve) => (wake = resolve));

  return {
    next: async () => {
      attend(true);
      if (isTyped) reader.prompt();
      while (waiting.length === 0 && !isOver) await news();
      attend(false);
      const line = waiting.shift();
      // What a pipe brings is shown as if it had been typed, so that the transcript reads well.
      if (!isTyped && line !== undefined) output.write(`${prompt}${line}\n`);
      return line;
    },
    close: () => reader.close(),
  };
};
