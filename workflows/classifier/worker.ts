import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Entity } from '../patterns/entity-finder.js';
import { entitiesOf, tokensWith, type Mark, type Piece, type Token } from './entities.js';
import type { FromWorker, Scores, TextResult, ToWorker, WorkerSetup } from './protocol.js';

/** The used part of `@huggingface/transformers`, copied so that types need no package. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string; cacheDir: string };
  readonly AutoTokenizer: { from_pretrained(model: string, options: object): Promise<Tokenizer> };
  readonly AutoModelForSequenceClassification: ModelClass;
  readonly AutoModelForTokenClassification: ModelClass;
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
}

interface ModelClass {
  from_pretrained(model: string, options: object): Promise<Model>;
}

interface Tokenizer {
  (text: string, options: { add_special_tokens: boolean; return_tensor: false }): { readonly input_ids: readonly number[] };
  decode(ids: readonly number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
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

const load = async (): Promise<(texts: readonly string[], id: number) => Promise<readonly TextResult[]>> => {
  const transformers = await importTransformers();
  const { env, AutoTokenizer } = transformers;
  env.allowRemoteModels = source.allowDownload;
  if (source.modelPath !== undefined) env.localModelPath = source.modelPath;
  if (source.cacheDir !== undefined) env.cacheDir = source.cacheDir;
  const options = {
    ...(source.revision !== undefined && { revision: source.revision }),
    local_files_only: !source.allowDownload,
  };
  const tokenizer = await AutoTokenizer.from_pretrained(source.model, options);
  const modelClass = source.entities
    ? transformers.AutoModelForTokenClassification
    : transformers.AutoModelForSequenceClassification;
  const model = await runNative(() =>
    modelClass.from_pretrained(source.model, {
      ...options,
      dtype: source.dtype,
      device: 'cpu',
      ...(source.threads !== undefined && { session_options: { intraOpNumThreads: source.threads } }),
    }),
  );
  const read = (source.entities ? findingEntities : classifying)(transformers, tokenizer, model);
  await read(['warm up'], -1);
  return read;
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

/** Tokens that fit into the model, with the special tokens that it expects. */
interface TokenWindow {
  readonly ids: readonly number[];
}

/** Reads the logits of a window: a row for the text, or one for each of its tokens. */
type ReadLogits<W> = (window: W, logits: Float32Array) => void;

const maxTokensOf = (tokenizer: Tokenizer, { config: { max_position_embeddings: positions } }: Model): number =>
  source.maxTokens ?? Math.min(positions ?? usualMaxTokens, tokenizer.model_max_length ?? usualMaxTokens, usualMaxTokens);

/** Runs the model on windows, in batches. Throws if the request was dropped. */
const inferring = ({ Tensor }: Transformers, tokenizer: Tokenizer, model: Model) => {
  const pad = BigInt(tokenizer.pad_token_id ?? 0);
  const infer = async <W extends TokenWindow>(windows: readonly W[], read: ReadLogits<W>): Promise<void> => {
    const width = Math.max(...windows.map(({ ids }) => ids.length));
    const dims = [windows.length, width];
    const ids = new BigInt64Array(windows.length * width).fill(pad);
    const mask = new BigInt64Array(ids.length);
    for (const [row, window] of windows.entries())
      for (const [at, token] of window.ids.entries()) {
        ids[row * width + at] = BigInt(token);
        mask[row * width + at] = 1n;
      }
    const inputs = {
      input_ids: new Tensor('int64', ids, dims),
      attention_mask: new Tensor('int64', mask, dims),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), dims),
    };
    const { data } = (await runNative(() => model(inputs))).logits;
    const size = data.length / windows.length;
    for (const [row, window] of windows.entries()) read(window, data.subarray(row * size, (row + 1) * size));
  };
  return async <W extends TokenWindow>(id: number, windows: Iterable<W>, read: ReadLogits<W>): Promise<void> => {
    let batch: W[] = [];
    const flush = async (): Promise<void> => {
      await turn(); // lets a message arrive that drops the request
      if (dropped.has(id)) throw new Error('the request was dropped');
      if (batch.length > 0) await infer(batch, read);
      batch = [];
    };
    for (const window of windows) {
      batch.push(window);
      if (batch.length === source.batchSize) await flush();
    }
    await flush();
  };
};

const classifying = (transformers: Transformers, tokenizer: Tokenizer, model: Model) => {
  const { id2label = {}, problem_type: problem } = model.config;
  const scoresOf = problem === 'multi_label_classification' ? sigmoids : softmax;
  const infer = inferring(transformers, tokenizer, model);
  const width = maxTokensOf(tokenizer, model);
  return async (texts: readonly string[], id: number): Promise<readonly Scores[]> => {
    const highest: Record<string, number>[] = texts.map(() => ({}));
    const windows = function* () {
      for (const [text, whole] of texts.entries())
        for (const piece of piecesOf(whole)) for (const ids of windowsOf(piece.text, tokenizer, width)) yield { text, ids };
    };
    await infer(id, windows(), ({ text }, logits) => {
      const of = highest[text] ?? {};
      for (const [at, score] of scoresOf(logits).entries()) {
        const label = id2label[at] ?? `LABEL_${at}`;
        of[label] = Math.max(of[label] ?? 0, score);
      }
    });
    return highest;
  };
};

const findingEntities = (transformers: Transformers, tokenizer: Tokenizer, model: Model) => {
  const { kinds, areOptional, minScore } = source.entities ?? { kinds: {}, areOptional: false, minScore: 1 };
  const labels = Object.entries(model.config.id2label ?? {}).map(([id, label]) => {
    const [, begin, name = ''] = /^(?:([BS])-|[IEL]-)?(.*)$/.exec(label) ?? [];
    return { id: Number(id), kind: kinds[name], name, isFirst: begin !== undefined };
  });
  const missing = Object.keys(kinds).filter((name) => labels.every((label) => label.name !== name));
  if (missing.length > (areOptional ? Object.keys(kinds).length - 1 : 0))
    throw new Error(
      `it has no label ${missing.join(', ')}; its labels are ${[...new Set(labels.map(({ name }) => name))].join(', ')}`,
    );
  const infer = inferring(transformers, tokenizer, model);
  const readTokens = tokensWith({
    encode: (word) => tokenizer(word, { add_special_tokens: false, return_tensor: false }).input_ids,
    decode: (token) => tokenizer.decode([token], { skip_special_tokens: false, clean_up_tokenization_spaces: false }),
  });
  const whole = tokenizer('a', { add_special_tokens: true, return_tensor: false }).input_ids;
  const bare = tokenizer('a', { add_special_tokens: false, return_tensor: false }).input_ids;
  const before = prefixLength(whole, bare);
  const [prefix, suffix] = [whole.slice(0, before), whole.slice(before + bare.length)];
  const available = maxTokensOf(tokenizer, model) - prefix.length - suffix.length;
  const stride = Math.min(source.strideTokens, Math.floor(available / 2));
  const markOf = (token: Token, logits: Float32Array): Mark | undefined => {
    const scores = softmax(logits);
    const sums: Record<string, number> = {};
    for (const { id, kind } of labels) if (kind !== undefined) sums[kind] = (sums[kind] ?? 0) + (scores[id] ?? 0);
    const [kind = '', score = 0] = Object.entries(sums).toSorted(([, a], [, b]) => b - a)[0] ?? [];
    if (!(score >= minScore)) return undefined;
    const top = scores.indexOf(Math.max(...scores));
    return { ...token, kind, score, isFirst: labels.some(({ id, isFirst }) => id === top && isFirst) };
  };
  return async (texts: readonly string[], id: number): Promise<readonly (readonly Entity[])[]> => {
    const marks: Mark[][] = texts.map(() => []);
    const windows = function* () {
      for (const [text, long] of texts.entries())
        for (const piece of piecesOf(long)) {
          const tokens = readTokens(piece);
          for (let at = 0; at === 0 || at + stride < tokens.length; at += available - stride) {
            const own = tokens.slice(at, at + available);
            yield { text, tokens: own, ids: [...prefix, ...own.map((token) => token.id), ...suffix] };
          }
        }
    };
    await infer(id, windows(), ({ text, tokens }, logits) => {
      for (const [at, token] of tokens.entries()) {
        const from = (at + prefix.length) * labels.length;
        const mark = markOf(token, logits.subarray(from, from + labels.length));
        if (mark) marks[text]?.push(mark);
      }
    });
    return texts.map((text, at) => entitiesOf(text, marks[at] ?? []));
  };
};

const piecesOf = function* (text: string): Generator<Piece> {
  for (let at = 0; at === 0 || at + pieceOverlapChars < text.length; at += pieceChars - pieceOverlapChars)
    yield { text: text.slice(at, at + pieceChars), offset: at };
};

/** A text as overlapping windows of tokens, each between the special tokens that the model expects. */
const windowsOf = function* (text: string, tokenizer: Tokenizer, width: number): Generator<readonly number[]> {
  const whole = tokenizer(text, { add_special_tokens: true, return_tensor: false }).input_ids;
  if (whole.length <= width) return yield whole;
  const bare = tokenizer(text, { add_special_tokens: false, return_tensor: false }).input_ids;
  const before = prefixLength(whole, bare);
  const [prefix, suffix] = [whole.slice(0, before), whole.slice(before + bare.length)];
  const available = width - prefix.length - suffix.length;
  const stride = Math.min(source.strideTokens, Math.floor(available / 2));
  for (let at = 0; at === 0 || at + stride < bare.length; at += available - stride)
    yield [...prefix, ...bare.slice(at, at + available), ...suffix];
};

/** The number of special tokens before the text. */
const prefixLength = (whole: readonly number[], bare: readonly number[]): number => {
  for (let at = 0; at <= whole.length - bare.length; at += 1)
    if (bare.slice(0, 2).every((token, index) => whole[at + index] === token)) return at;
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
const serve = async (read: Awaited<ReturnType<typeof load>>): Promise<void> => {
  let last = Promise.resolve();
  const answer = async (id: number, texts: readonly string[]): Promise<void> => {
    try {
      if (!dropped.has(id)) send({ id, results: await read(texts, id) });
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
