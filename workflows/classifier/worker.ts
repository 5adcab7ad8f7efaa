import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, Scores, ToWorker, WorkerSetup } from './protocol.js';

/** The used part of `@huggingface/transformers`, copied so that types need no package. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string; cacheDir: string };
  readonly AutoTokenizer: { from_pretrained(model: string, options: object): Promise<Tokenizer> };
  readonly AutoModelForSequenceClassification: { from_pretrained(model: string, options: object): Promise<Model> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
}

interface Tokenizer {
  (text: string, options: { add_special_tokens: boolean; return_tensor: false }): { readonly input_ids: readonly number[] };
  readonly pad_token_id?: number;
  readonly model_max_length?: number;
}

interface Model {
  (inputs: object): Promise<{ readonly logits: { readonly data: Float32Array; readonly dims: readonly number[] } }>;
  readonly config: {
    readonly id2label?: Readonly<Record<string, string>>;
    readonly problem_type?: string;
    readonly max_position_embeddings?: number;
  };
}

/** A long text is tokenized piece by piece, so that its tokens never take much memory at once. */
const pieceChars = 16_000;
const pieceOverlapChars = 400;
/** The minimum number of positions of an encoder without a known limit. */
const usualMaxTokens = 512;

const { source, flags } = workerData as WorkerSetup;
const waiting = new Set<number>();
const dropped = new Set<number>();
const send = (message: FromWorker): void => parentPort?.postMessage(message);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const load = async (): Promise<(texts: readonly string[], id: number) => Promise<Scores[]>> => {
  const transformers = await importTransformers();
  const { env, AutoTokenizer, AutoModelForSequenceClassification } = transformers;
  env.allowRemoteModels = source.allowDownload;
  if (source.modelPath !== undefined) env.localModelPath = source.modelPath;
  if (source.cacheDir !== undefined) env.cacheDir = source.cacheDir;
  const options = {
    ...(source.revision !== undefined && { revision: source.revision }),
    local_files_only: !source.allowDownload,
  };
  const tokenizer = await AutoTokenizer.from_pretrained(source.model, options);
  const model = await runNative(() =>
    AutoModelForSequenceClassification.from_pretrained(source.model, {
      ...options,
      dtype: source.dtype,
      device: 'cpu',
      ...(source.threads !== undefined && { session_options: { intraOpNumThreads: source.threads } }),
    }),
  );
  const classify = classifying(transformers, tokenizer, model);
  await classify(['warm up'], -1);
  return classify;
};

/** Runs native code, unless the worker is stopping. The main thread ends the worker only outside of it. */
const runNative = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  Atomics.store(flags.isNative, 0, 1);
  try {
    if (Atomics.load(flags.isStopping, 0) === 1) throw new Error('the worker is stopping');
    return await run();
  } finally {
    Atomics.store(flags.isNative, 0, 0);
    Atomics.notify(flags.isNative, 0);
  }
};

/** Imports from this package's location, else from the application's working directory. */
const importTransformers = async (): Promise<Transformers> => {
  const name = '@huggingface/transformers';
  try {
    return (await import(name)) as Transformers;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  try {
    const path = createRequire(join(process.cwd(), 'package.json')).resolve(name);
    const loaded = (await import(pathToFileURL(path).href)) as { default?: Transformers };
    return loaded.default ?? (loaded as Transformers);
  } catch (error) {
    throw new Error(`${name} cannot be loaded; install it: npm install ${name}. ${reasonOf(error)}`, { cause: error });
  }
};

const classifying = ({ Tensor }: Transformers, tokenizer: Tokenizer, model: Model) => {
  const { id2label = {}, problem_type: problem, max_position_embeddings: positions } = model.config;
  const most =
    source.maxTokens ?? Math.min(positions ?? usualMaxTokens, tokenizer.model_max_length ?? usualMaxTokens, usualMaxTokens);
  const pad = BigInt(tokenizer.pad_token_id ?? 0);
  const scoresOf = problem === 'multi_label_classification' ? sigmoids : softmax;

  const judge = async (windows: readonly (readonly number[])[]): Promise<Scores[]> => {
    const width = Math.max(...windows.map(({ length }) => length));
    const dims = [windows.length, width];
    const ids = new BigInt64Array(windows.length * width).fill(pad);
    const mask = new BigInt64Array(ids.length);
    for (const [row, window] of windows.entries())
      for (const [at, token] of window.entries()) {
        ids[row * width + at] = BigInt(token);
        mask[row * width + at] = 1n;
      }
    const inputs = {
      input_ids: new Tensor('int64', ids, dims),
      attention_mask: new Tensor('int64', mask, dims),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), dims),
    };
    const { logits } = await runNative(() => model(inputs));
    const labels = logits.dims.at(-1) ?? 0;
    return windows.map((_window, row) => {
      const scores = scoresOf(logits.data.subarray(row * labels, (row + 1) * labels));
      return Object.fromEntries(Array.from(scores, (score, label) => [id2label[label] ?? `LABEL_${label}`, score]));
    });
  };

  return async (texts: readonly string[], id: number): Promise<Scores[]> => {
    const highest: Record<string, number>[] = texts.map(() => ({}));
    let batch: TextWindow[] = [];
    const flush = async (): Promise<void> => {
      await turn(); // lets a message arrive that drops the request
      if (dropped.has(id)) throw new Error('the request was dropped');
      const scores = batch.length > 0 ? await judge(batch.map(({ window }) => window)) : [];
      for (const [at, one] of scores.entries())
        for (const [label, score] of Object.entries(one)) {
          const of = highest[batch[at]?.text ?? 0];
          if (of) of[label] = Math.max(of[label] ?? 0, score);
        }
      batch = [];
    };
    for (const one of windowsIn(texts, tokenizer, most)) {
      batch.push(one);
      if (batch.length === source.batchSize) await flush();
    }
    await flush();
    return highest;
  };
};

/** A window of a text, named by its position. */
interface TextWindow {
  readonly text: number;
  readonly window: readonly number[];
}

const windowsIn = function* (texts: readonly string[], tokenizer: Tokenizer, most: number): Generator<TextWindow> {
  for (const [text, whole] of texts.entries())
    for (const piece of piecesOf(whole)) for (const window of windowsOf(piece, tokenizer, most)) yield { text, window };
};

const piecesOf = function* (text: string): Generator<string> {
  for (let at = 0; at === 0 || at + pieceOverlapChars < text.length; at += pieceChars - pieceOverlapChars)
    yield text.slice(at, at + pieceChars);
};

/** A text as overlapping windows of tokens, each between the special tokens that the model expects. */
const windowsOf = function* (text: string, tokenizer: Tokenizer, most: number): Generator<readonly number[]> {
  const whole = tokenizer(text, { add_special_tokens: true, return_tensor: false }).input_ids;
  if (whole.length <= most) return yield whole;
  const bare = tokenizer(text, { add_special_tokens: false, return_tensor: false }).input_ids;
  const before = prefixLength(whole, bare);
  const [prefix, suffix] = [whole.slice(0, before), whole.slice(before + bare.length)];
  const available = most - prefix.length - suffix.length;
  const stride = Math.min(source.strideTokens, Math.floor(available / 2));
  for (let at = 0; at === 0 || at + stride < bare.length; at += available - stride)
    yield [...prefix, ...bare.slice(at, at + available), ...suffix];
};

/** The number of special tokens before the text. */
const prefixLength = (whole: readonly number[], bare: readonly number[]): number => {
  for (let at = 0; at <= whole.length - bare.length; at += 1) if (whole[at] === bare[0] && whole[at + 1] === bare[1]) return at;
  throw new Error('the special tokens of the tokenizer could not be told from the text');
};

const softmax = (logits: Float32Array): number[] => {
  const most = Math.max(...logits);
  const powers = Array.from(logits, (logit) => Math.exp(logit - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
};

const sigmoids = (logits: Float32Array): number[] => Array.from(logits, (logit) => 1 / (1 + Math.exp(-logit)));

/** One request at a time, in order. */
const serve = async (classify: Awaited<ReturnType<typeof load>>): Promise<void> => {
  let last = Promise.resolve();
  const answer = async (id: number, texts: readonly string[]): Promise<void> => {
    try {
      if (!dropped.has(id)) send({ id, scores: await classify(texts, id) });
    } catch (error) {
      send({ id, failed: reasonOf(error) });
    }
    waiting.delete(id);
    dropped.delete(id);
  };
  parentPort?.on('message', (message: ToWorker) => {
    if ('drop' in message) {
      if (waiting.has(message.drop)) dropped.add(message.drop);
      return;
    }
    waiting.add(message.id);
    last = last.then(() => answer(message.id, message.texts));
  });
};

try {
  await serve(await load());
  send({ ready: true });
} catch (error) {
  send({ notLoaded: reasonOf(error) });
}
