import { InterlockError } from '../../src/errors.js';
import {
  aBoolean,
  aName,
  aText,
  needed,
  numberFrom,
  oneOf,
  recordOf,
  timerMsFrom,
  wholeNumberFrom,
} from '../../src/option-kind.js';
import { checkOptions, type KindsOf } from '../guards/guard-options.js';
import type { EntityLabels, Scores, TextResult } from './protocol.js';
import { createWorkerLink, unavailable } from './worker-link.js';
import type { TextClassifier } from '../guards/classifier-guard.js';
import { kindForm, type Entity, type EntityRecognizer } from '../patterns/entity-finder.js';

export interface LocalModelOptions {
  /** The model: an id of the Hugging Face Hub, or a folder in `modelPath`, with `config.json`, a tokenizer and `onnx/*.onnx`. */
  readonly model: string;
  /** The commit of the model on the Hub: 40 hexadecimal digits, because a branch can change. Needed with `allowDownload`. */
  readonly revision?: string;
  /** The folder of local models. Default: the one of `@huggingface/transformers`. */
  readonly modelPath?: string;
  /** The folder for downloaded models. Default: the one of `@huggingface/transformers`. */
  readonly cacheDir?: string;
  /** Whether a missing model is downloaded. Default false: no network. */
  readonly allowDownload?: boolean;
  /** The precision of the weights; `q8` reads `model_quantized.onnx`. Default `'fp32'`, which reads `model.onnx`. */
  readonly dtype?: 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4';
  /** CPU threads of one inference. Default: chosen by ONNX Runtime. */
  readonly threads?: number;
  /** Tokens of one window, including special tokens. Default: the model's limit, at most 512. */
  readonly maxTokens?: number;
  /** Tokens that two windows of a long text share. Default 64. */
  readonly strideTokens?: number;
  /** The maximum number of windows per inference. Default 8. */
  readonly batchSize?: number;
  /**
   * The time limit of a call, including its wait, in milliseconds. After that the worker is stopped and every pending call fails. Default
   * 30,000.
   */
  readonly timeoutMs?: number;
  /** The time limit for loading the model, in milliseconds. Default 120,000. */
  readonly loadTimeoutMs?: number;
  /**
   * The maximum number of waiting characters; a call beyond it fails. Default 2,000,000. The worker's heap must have 64 MB, and 16 bytes for
   * each: a heap that is full can end the whole process.
   */
  readonly maxPendingChars?: number;
  /** The worker's JavaScript heap, in megabytes. The weights are outside of it. Default 512. */
  readonly maxHeapMb?: number;
}

/** A model in a worker thread. */
export interface LocalModel extends AsyncDisposable {
  /** Loads the model, so that the first call does not wait for it. Raises `guard/unavailable`. */
  warmUp(): Promise<void>;
  /** Stops the worker. Pending calls fail. A later call starts another worker. */
  close(): Promise<void>;
}

const modelKinds: KindsOf<LocalModelOptions> = {
  model: needed(aName),
  revision: aName,
  modelPath: aName,
  cacheDir: aName,
  allowDownload: aBoolean,
  dtype: oneOf('fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4'),
  threads: wholeNumberFrom(1),
  maxTokens: wholeNumberFrom(8),
  strideTokens: wholeNumberFrom(0),
  batchSize: wholeNumberFrom(1),
  timeoutMs: timerMsFrom(1),
  loadTimeoutMs: timerMsFrom(1),
  maxPendingChars: wholeNumberFrom(1),
  maxHeapMb: wholeNumberFrom(65),
};

/** Two for a character, and as many for its copy, its message and its tokens; twice that, because freed memory waits for the collector. */
const bytesPerChar = 16;
/** The heap of the worker without texts: its library, and the tokenizer at work. */
const baseHeapMb = 64;

interface ModelUse {
  /** The name of the public function, for errors. */
  readonly name: string;
  /** Set for a model that labels tokens. */
  readonly entities?: EntityLabels;
}

/** Checks the options of a model, and connects to its worker. */
const createLocalModel = (
  options: LocalModelOptions,
  { name, entities }: ModelUse,
): { readonly model: LocalModel; read(texts: readonly string[], signal?: AbortSignal): Promise<readonly TextResult[]> } => {
  const { allowDownload = false, revision, maxPendingChars = 2_000_000, maxHeapMb = 512 } = options;
  const refuse = (option: string, detail: string): never => {
    throw new InterlockError('guard/invalid-option', { path: `${name}.${option}`, detail });
  };
  if (allowDownload && !/^[0-9a-f]{40}$/i.test(revision ?? ''))
    refuse('revision', 'with allowDownload it must be the commit of the model: 40 hexadecimal digits.');
  if (maxPendingChars * bytesPerChar > (maxHeapMb - baseHeapMb) * 2 ** 20)
    refuse('maxPendingChars', `${maxPendingChars} characters do not fit into the worker's heap: maxHeapMb is ${maxHeapMb}.`);
  const link = createWorkerLink({
    name,
    source: {
      model: options.model,
      revision,
      modelPath: options.modelPath,
      cacheDir: options.cacheDir,
      allowDownload,
      dtype: options.dtype ?? 'fp32',
      threads: options.threads,
      maxTokens: options.maxTokens,
      strideTokens: options.strideTokens ?? 64,
      batchSize: options.batchSize ?? 8,
      entities,
    },
    timeoutMs: options.timeoutMs ?? 30_000,
    loadTimeoutMs: options.loadTimeoutMs ?? 120_000,
    maxHeapMb,
  });
  let pendingChars = 0;
  return {
    model: { warmUp: link.start, close: link.close, [Symbol.asyncDispose]: link.close },
    read: async (texts, signal) => {
      const chars = texts.reduce((sum, { length }) => sum + length, 0);
      if (pendingChars + chars > maxPendingChars) throw unavailable(name, `more than ${maxPendingChars} characters are waiting.`);
      pendingChars += chars;
      try {
        return await link.read(texts, signal);
      } finally {
        pendingChars -= chars;
      }
    },
  };
};

/**
 * A text classifier that runs on this machine, without network or key: an ONNX model in `@huggingface/transformers`, which you
 * install separately. It runs in a worker thread, because an inference blocks its thread. A long text is judged whole, in windows
 * that overlap; the highest score of a label counts.
 *
 * It fails closed: a missing model, a worker that dies, a call that takes too long and a full queue raise `guard/unavailable`.
 * The next call starts another worker. Raises `guard/unknown-option` and `guard/invalid-option`.
 *
 * @example
 * const classifier = localClassifier({ model: 'deberta-v3-base-prompt-injection-v2', modelPath: './models', dtype: 'q8' });
 * await classifier.warmUp();
 */
export const localClassifier = (options: LocalModelOptions): TextClassifier & LocalModel => {
  checkOptions('localClassifier', options, modelKinds);
  const { model, read } = createLocalModel(options, { name: 'localClassifier' });
  return { ...model, classify: async (texts, { signal }) => (await read(texts, signal)) as readonly Scores[] }; // of the same model
};

export interface LocalEntitiesOptions extends LocalModelOptions {
  /**
   * The kinds of entities to find, by the model's label without `B-` and `I-`: lowercase letters, digits and `-`. Default:
   * `{ PER: 'person', PERSON: 'person', LOC: 'location', GPE: 'location', ORG: 'organization' }`, as far as the model has them.
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** The minimum score of a token, 0 to 1; a lower one finds more names, and more other words. Default 0.5. */
  readonly minScore?: number;
}

const usualLabels = { PER: 'person', PERSON: 'person', LOC: 'location', GPE: 'location', ORG: 'organization' };

/**
 * Finds names of persons, places and organizations with a model for token classification on this machine, in a worker thread: the
 * `entities` of `redactor`. Entities end at the ends of words. It fails closed like `localClassifier`: `guard/unavailable`, also
 * for a model without the labels. Raises `guard/unknown-option` and `guard/invalid-option`.
 *
 * @example
 * const entities = localEntities({ model: 'bert-base-NER', modelPath: './models', dtype: 'q8' });
 * redactor({ strategy: 'restore', entities });
 */
export const localEntities = ({ labels, minScore, ...options }: LocalEntitiesOptions): EntityRecognizer & LocalModel => {
  const name = 'localEntities';
  checkOptions(name, { ...options, labels, minScore }, { ...modelKinds, labels: recordOf(aText), minScore: numberFrom(0, 1) });
  const invalid = Object.entries(labels ?? usualLabels).find(([, kind]) => !kindForm.test(kind));
  if (invalid || Object.keys(labels ?? usualLabels).length === 0)
    throw new InterlockError('guard/invalid-option', {
      path: `${name}.labels`,
      detail: invalid ? `"${invalid[1]}" is no kind: use lowercase letters, digits and -.` : 'it must name at least one label.',
    });
  const { model, read } = createLocalModel(options, {
    name,
    entities: { kinds: labels ?? usualLabels, areOptional: labels === undefined, minScore: minScore ?? 0.5 },
  });
  return { ...model, find: async (texts) => (await read(texts)) as readonly (readonly Entity[])[] }; // of the same model
};
