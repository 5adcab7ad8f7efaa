import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The words of the model, each with its addition to the logits of SAFE and INJECTION. */
const words = {
  '[PAD]': [0, 0],
  '[UNK]': [0, 0],
  '[CLS]': [2, -2], // a text without known words is SAFE
  '[SEP]': [0, 0],
  ignore: [0, 3],
  instructions: [0, 3],
} as const;
const vocabulary = Object.fromEntries(Object.keys(words).map((word, id) => [word, id]));

/**
 * Writes a text classifier that sums the weights of its words: the files that `@huggingface/transformers` reads, of less than 3
 * kB. The words of such a model identify its windows, and its scores can be computed by hand.
 */
export const writeTinyModel = (folder: string): void => {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const write = (name: string, content: object): void => writeFileSync(join(folder, name), JSON.stringify(content));
  write('config.json', {
    model_type: 'bert',
    architectures: ['BertForSequenceClassification'],
    max_position_embeddings: 32,
    id2label: { 0: 'SAFE', 1: 'INJECTION' },
    label2id: { SAFE: 0, INJECTION: 1 },
  });
  const specialTokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map((content, id) => ({
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
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]', 0), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]', 0)],
      pair: [],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: null,
    model: { type: 'WordLevel', vocab: vocabulary, unk_token: '[UNK]' },
  });
  write('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    model_max_length: 32,
  });
  writeFileSync(join(folder, 'onnx/model.onnx'), modelBytes());
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

/** logits = sum over the tokens of (value of the token x its mask). */
const modelBytes = (): Uint8Array => {
  const worth = Float32Array.from(Object.values(words).flat());
  const graph = message(
    [1, node('Gather', ['worth', 'input_ids'], { output: 'values' })],
    [1, node('Cast', ['attention_mask'], { output: 'mask', attribute: ['to', elementTypes.float] })],
    [1, node('Unsqueeze', ['mask', 'last'], { output: 'wide' })],
    [1, node('Mul', ['values', 'wide'], { output: 'kept' })],
    [1, node('ReduceSum', ['kept', 'second'], { output: 'logits', attribute: ['keepdims', 0] })],
    [2, 'tiny'],
    [5, constant('worth', [Object.keys(words).length, 2], worth)],
    [5, constant('last', [1], BigInt64Array.of(2n))],
    [5, constant('second', [1], BigInt64Array.of(1n))],
    [11, tensorInfo('input_ids', 'int64', ['batch', 'tokens'])],
    [11, tensorInfo('attention_mask', 'int64', ['batch', 'tokens'])],
    [12, tensorInfo('logits', 'float', ['batch', 2])],
  );
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 13])]);
};
