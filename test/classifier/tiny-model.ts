import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A model: the addition of each word to the logits, and the labels that these are of. */
export interface TinyModel {
  readonly task: 'SequenceClassification' | 'TokenClassification';
  readonly labels: readonly string[];
  readonly words: Readonly<Record<string, readonly number[]>>;
  /** Whether each inference takes about 100 ms, all of it in native code. */
  readonly isSlow?: boolean;
}

/** Sums the weights of its words: a text without known words is SAFE. */
export const tinyClassifier: TinyModel = {
  task: 'SequenceClassification',
  labels: ['SAFE', 'INJECTION'],
  words: { '[CLS]': [2, -2], ignore: [0, 3], instructions: [0, 3] },
};

/** Labels words, whatever their neighbors are. */
export const tinyEntities: TinyModel = {
  task: 'TokenClassification',
  labels: ['O', 'B-PER', 'I-PER', 'B-LOC', 'B-ORG', 'B-MISC'],
  words: {
    '[UNK]': [9, 0, 0, 0, 0, 0],
    jane: [0, 9, 0, 0, 0, 0],
    ada: [0, 9, 0, 0, 0, 0],
    do: [0, 0, 9, 0, 0, 0],
    '##e': [9, 0, 0, 0, 0, 0], // the rest of a word whose beginning is a name
    lovelace: [0, 0, 9, 0, 0, 0],
    zoe: [0, 9, 0, 0, 0, 0],
    李: [0, 9, 0, 0, 0, 0],
    雷: [0, 0, 9, 0, 0, 0],
    paris: [0, 0, 0, 9, 0, 0],
    initech: [0, 0, 0, 0, 9, 0],
    french: [0, 0, 0, 0, 0, 9],
    maybe: [2, 0, 0, 0, 2, 0],
  },
};

const specialWords = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];

/**
 * Writes a model that looks its words up: the files that `@huggingface/transformers` reads, of a few kB. The words of such a model
 * identify its windows, and its scores can be computed by hand.
 */
export const writeTinyModel = (folder: string, model: TinyModel): void => {
  const names = [...new Set([...specialWords, ...Object.keys(model.words)])];
  const vocabulary = Object.fromEntries(names.map((word, id) => [word, id]));
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const write = (name: string, content: object): void => writeFileSync(join(folder, name), JSON.stringify(content));
  write('config.json', {
    model_type: 'bert',
    architectures: [`BertFor${model.task}`],
    max_position_embeddings: 32,
    id2label: Object.fromEntries(model.labels.entries()),
    label2id: Object.fromEntries(model.labels.map((label, id) => [label, id])),
  });
  const specialTokens = specialWords.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  write('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens,
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]', 0), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]', 0)],
      pair: [],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      vocab: vocabulary,
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
    },
  });
  write('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    model_max_length: 32,
  });
  writeFileSync(join(folder, 'onnx/model.onnx'), modelBytes(model, names));
};

/** A field of a protobuf message: a number, a text, or bytes. */
type Field = readonly [number: number, value: number | string | Uint8Array];

const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);

const message = (...fields: readonly Field[]): Uint8Array =>
  Uint8Array.from(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [...varint(number * 8), ...varint(value)];
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
    }),
  );

const elementTypes = { float: 1, int64: 7 } as const;
type ElementType = keyof typeof elementTypes;

/** `ValueInfoProto`: a tensor by name, with its dimensions. */
const tensorInfo = (name: string, type: ElementType, dims: readonly (string | number)[]): Uint8Array => {
  const shape = message(...dims.map((dim): Field => [1, typeof dim === 'number' ? message([1, dim]) : message([2, dim])]));
  return message([1, name], [2, message([1, message([1, elementTypes[type]], [2, shape])])]);
};

/** `TensorProto`: a constant. */
const constant = (name: string, dims: readonly number[], data: Float32Array | BigInt64Array): Uint8Array =>
  message(
    ...dims.map((dim): Field => [1, dim]),
    [2, data instanceof Float32Array ? elementTypes.float : elementTypes.int64],
    [8, name],
    [9, new Uint8Array(data.buffer)],
  );

/** `NodeProto`: an operation, with at most one attribute, a whole number. */
const node = (
  operation: string,
  inputs: readonly string[],
  { output, attribute }: { output: string; attribute?: readonly [name: string, value: number] },
): Uint8Array =>
  message(
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [4, operation],
    ...(attribute ? [[5, message([1, attribute[0]], [3, attribute[1]], [20, 2])] as const] : []),
  );

/** A text's logits are the sum over its tokens of (value of the token x its mask); a token's logits are its value x its mask. */
const modelBytes = ({ task, labels, words, isSlow = false }: TinyModel, names: readonly string[]): Uint8Array => {
  const worth = Float32Array.from(names.flatMap((name) => words[name] ?? labels.map(() => 0)));
  const isText = task === 'SequenceClassification';
  const logits = isSlow ? 'quick' : 'logits';
  const graph = message(
    [1, node('Gather', ['worth', 'input_ids'], { output: 'values' })],
    [1, node('Cast', ['attention_mask'], { output: 'mask', attribute: ['to', elementTypes.float] })],
    [1, node('Unsqueeze', ['mask', 'last'], { output: 'wide' })],
    [1, node('Mul', ['values', 'wide'], { output: isText ? 'kept' : logits })],
    ...(isText ? [[1, node('ReduceSum', ['kept', 'second'], { output: logits, attribute: ['keepdims', 0] })] as const] : []),
    ...(isSlow ? slowly.map((operation) => [1, operation] as const) : []),
    [2, 'tiny'],
    [5, constant('worth', [names.length, labels.length], worth)],
    [5, constant('last', [1], BigInt64Array.of(2n))],
    [5, constant('second', [1], BigInt64Array.of(1n))],
    [5, constant('many', [1], BigInt64Array.of(60_000_000n))],
    [11, tensorInfo('input_ids', 'int64', ['batch', 'tokens'])],
    [11, tensorInfo('attention_mask', 'int64', ['batch', 'tokens'])],
    [12, tensorInfo('logits', 'float', isText ? ['batch', labels.length] : ['batch', 'tokens', labels.length])],
  );
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 13])]);
};

/** Adds the mean of many ones, less one: zero. The ones are made of the input, so that nothing is computed in advance. */
const slowly = [
  node('ReduceMax', ['mask'], { output: 'one', attribute: ['keepdims', 0] }),
  node('Expand', ['one', 'many'], { output: 'ones' }),
  node('ReduceMin', ['ones'], { output: 'least', attribute: ['keepdims', 0] }),
  node('Sub', ['least', 'one'], { output: 'zero' }),
  node('Add', ['quick', 'zero'], { output: 'logits' }),
];
