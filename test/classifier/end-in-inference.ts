import { localClassifier } from '../../workflows/classifier/index.js';

/** A process that ends a classifier, or itself, in the middle of an inference: `tsx end-in-inference.ts <way> <folder of models>`. */
const [way = '', modelPath = ''] = process.argv.slice(2);
process.chdir(import.meta.dirname); // the package is installed here

const print = (...words: readonly string[]): boolean => process.stdout.write(`${words.join(' ')}\n`);

const start = async (options: { timeoutMs?: number; maxHeapMb?: number } = {}) => {
  const classifier = localClassifier({ model: 'slow', modelPath, batchSize: 1, ...options });
  await classifier.warmUp();
  const abort = new AbortController();
  const call = classifier.classify(['lamp '.repeat(2_000)], { signal: abort.signal });
  const failed = call.then(
    () => 'no failure',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
  await new Promise((resolve) => setTimeout(resolve, 60)); // the first inference runs
  return { classifier, abort, failed };
};

const ways: Record<string, () => Promise<void>> = {
  close: async () => {
    const { classifier, failed } = await start();
    const started = performance.now();
    const closed = classifier.close();
    print(await failed, performance.now() - started < 20 ? 'at once' : 'late');
    await closed;
  },
  'close-twice': async () => {
    const { classifier } = await start();
    await Promise.all([classifier.close(), classifier.close()]);
    print('closed');
  },
  timeout: async () => {
    const { failed } = await start({ timeoutMs: 80 });
    print(await failed);
  },
  abort: async () => {
    const { abort, failed } = await start();
    abort.abort(new Error('enough'));
    print(await failed);
  },
  exit: async () => {
    await start();
    process.exit(0);
  },
  throw: async () => {
    await start();
    throw new Error('thrown');
  },
};

await ways[way]?.();
