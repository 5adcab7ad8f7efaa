import { startStudio, type StudioServerOptions } from '../start-studio.js';

/** One press of Ctrl+C arrives several times: from the terminal, and relayed by the parent process. */
const samePressMs = 250;

/** Serves the studio, prints its address, and ends with Ctrl+C. Returns the program's exit code. */
export const serveUntilStopped = async (options: StudioServerOptions, print: (line: string) => void): Promise<number> => {
  const studio = await startStudio(options);
  print(`The studio is at ${studio.url}`);
  print(`Runs are stored in ${options.file ?? 'memory until the studio stops'}. Press Ctrl+C to stop.`);
  await untilStopped();
  await studio.close();
  return 0;
};

/** Settles with the first signal that asks the program to end; another press then ends it at once. */
const untilStopped = (): Promise<void> =>
  new Promise((stop) => {
    let pressedAt: number | undefined;
    const onSignal = () => {
      const now = performance.now();
      if (pressedAt !== undefined && now - pressedAt > samePressMs) process.exit(130);
      pressedAt ??= now;
      stop();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
