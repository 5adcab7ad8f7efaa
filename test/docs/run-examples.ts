/**
 * Runs programs one after another in this process, because they share their libraries: `run-examples.ts FILE…`. Prints a JSON
 * object: for each file its output to stdout, then the error that ended it.
 */
import { inspect } from 'node:util';

const printed: Record<string, string> = {};
const write = process.stdout.write.bind(process.stdout);

for (const file of process.argv.slice(2)) {
  let text = '';
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  try {
    await import(file);
  } catch (error) {
    text += inspect(error);
  }
  printed[file] = text;
}

process.stdout.write = write;
process.stdout.write(JSON.stringify(printed), () => process.exit());
