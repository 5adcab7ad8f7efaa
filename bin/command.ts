/** The input and output of a command, so that it can run in a test. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The folder against which paths are resolved. */
  readonly cwd: string;
  /** Whether `err` is a terminal. Default `false`. */
  readonly isTerminal?: boolean;
  /** Asks a yes or no question. Undefined without a terminal. */
  readonly ask?: (question: string) => Promise<boolean>;
}

/** One command of `mastra-interlock`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The command line with its options. */
  readonly usage: string;
  /** Runs the command and returns the exit code. An error is printed with its message, and the exit code is 2. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}
