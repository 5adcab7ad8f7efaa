import { checkOptions } from '../guards/check-options.js';
import type { TextClassifier } from '../guards/classifier-guard.js';
import { createLocalModel, modelKinds, type LocalModel, type LocalModelOptions } from './local-model.js';
import type { Scores } from './protocol.js';

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
