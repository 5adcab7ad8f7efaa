import type { Difference } from './compare.js';

/** A difference on purpose: its line in docs/guide/guarantees.md, and the differences that it explains. */
export interface Known {
  readonly line: string;
  readonly explains: (difference: Difference) => boolean;
}

type Fields = Record<string, unknown> | undefined;

const fieldsOf = (value: unknown): Fields => value as Fields; // compared values are plain

/** The type of a chunk or span that one of the two lacks; in the stream of a sub-agent, too. */
const extraType = ({ stock, ours }: Difference): string => {
  const own = fieldsOf(stock === undefined ? ours : ours === undefined ? stock : undefined);
  return String(own?.['type'] === 'tool-output' ? fieldsOf(own['output'])?.['type'] : own?.['type']);
};

type Side = 'stock' | 'ours';

/** An item of a list that one of the two lacks. */
const only =
  (side: Side, path: RegExp, type = /^/) =>
  (difference: Difference): boolean =>
    difference[side === 'stock' ? 'ours' : 'stock'] === undefined &&
    path.test(difference.path) &&
    type.test(extraType(difference));

const at =
  (path: RegExp) =>
  ({ path: own }: Difference): boolean =>
    path.test(own);

const anyOf =
  (...conditions: ((difference: Difference) => boolean)[]) =>
  (difference: Difference): boolean =>
    conditions.some((holds) => holds(difference));

const mentions = (value: unknown, text: RegExp): boolean => text.test(JSON.stringify(value) ?? '');

/** The agents with a guard that edits whole answers, with a guard that rejects, with approvals, and without a model. */
const editing = '^\\.talks\\.(shop|extractor|banker|examiner|seller)\\.';
const approving = '^\\.talks\\.(teller|clerk|seller)\\.';

export const known: readonly Known[] = [
  {
    line: '| gets the conversation without them, with the text of the step that calls it |',
    explains: ({ path, stock, ours }) =>
      /^\.requests\[\d+\]\.body\.(input|system)\[/.test(path) &&
      (mentions(stock, /You are the supervisor/) || (stock === undefined && fieldsOf(ours)?.['role'] === 'assistant')),
  },
  {
    line: 'the first chunk is `start`, and `finish` follows the tripwire',
    explains: only('ours', /\.chunks\[\d+\]$/, /^(start|finish)$/),
  },
  {
    line: '`providerMetadata` in messages and streams',
    explains: anyOf(only('stock', /\.tool(Calls|Results)\[\d+\]\.providerMetadata$/), at(/\.ui\[\d+\]\.providerMetadata/)),
  },
  {
    line: "the provider's ids of texts",
    explains: ({ path, stock, ours }) =>
      /\.ui\[\d+\]\.toolMetadata$/.test(path) ||
      (/\.ui\[\d+\]\.id$/.test(path) && stock === 'ID' && /^[\d-]+$/.test(String(ours))),
  },
  {
    line: 'spans of processors, not of each workflow step, and of accepted text',
    explains: anyOf(
      only('stock', /^\.spans/, /^(workflow_run|mapping|model_chunk)$/),
      only('stock', /^\.spans\[.*\.children\[\d+\]\.output\.(text|object)$/),
      only('ours', /^\.spans\[\d+\]\.output\.text$/),
      ({ path, ours }) => /^\.spans.*\.output$/.test(path) && /^\d+ characters$/.test(String(ours)),
    ),
  },
  {
    line: 'observational memory reads accepted content only, before each step and after the answer, in its own trace',
    explains: anyOf(
      at(/data\.(windows\.active\.messages\.tokens|tokens(ToObserve|Observed))$|tokenEstimate|providerMetadata\.mastra$/),
      at(/^\.talks\.assistant\.rows.*responseBoundary$/),
      only('ours', /\.(chunks|ui)\[\d+\]$/, /^data-om-status$/),
      only('stock', /^\.talks\.assistant\.rows\[.*\.parts\[\d+\]$/, /^step-start$/),
      only('stock', /^\.spans/, /^memory_operation$/),
      ({ ours }) => mentions(fieldsOf(ours)?.['name'], /observational-memory-observer/),
    ),
  },
  {
    line: 'is sent once it is accepted: a delta for each part, then the object',
    explains: anyOf(
      at(new RegExp(`${editing}calls\\[\\d+\\]\\.chunks\\[\\d+\\]\\.(text$|object)`)),
      at(new RegExp(`${editing}ui\\[\\d+\\]\\.(id|delta)$`)),
      only(
        'stock',
        new RegExp(`${editing}(calls\\[\\d+\\]\\.chunks|ui)`),
        /^(text-|object|data-structured|tool-call-|tool-input-)/,
      ),
      only('ours', new RegExp(`${editing}(calls\\[\\d+\\]\\.chunks|ui)`), /^(text-|object|data-structured)/),
      ({ path, ours }) => /^\.spans.*\.output\.text$/.test(path) && mentions(ours, /For information only|audited/),
    ),
  },
  {
    line: 'saved without the ids of its items',
    explains: at(/^\.talks\.banker\.rows\[.*\.providerMetadata\.openai\.itemId$/),
  },
  {
    line: "with the configured model's name",
    explains: ({ path, stock }) => path.startsWith('.spans') && path.endsWith('.name') && mentions(stock, /gpt-5-nano/),
  },
  {
    line: 'saved `content.content` follows the parts',
    explains: at(/\.rows\[.*\.content\.content$/),
  },
  {
    line: "`reason` `retry` and the model's `finishReason`",
    explains: ({ path, stock }) => path.endsWith('.finishReason') && stock === 'retry',
  },
  {
    line: 'its text is in no stream or span; the next one has the same step number',
    explains: anyOf(
      only('stock', /^\.talks\.critic\.(calls\[\d+\]\.chunks|ui)\[\d+\]$/, /^(text-|custom)/),
      ({ path, stock, ours }) => /\.ui\[\d+\]\.id$/.test(path) && stock === 'ID' && mentions(ours, /^"\d-\d"$/),
      ({ path, stock }) => path.startsWith('.spans') && mentions(stock, /maybe tomorrow|^"(step|inference): 1/),
      only('stock', /^\.spans/, /^model_inference$/),
      only('ours', /^\.spans/, /^model_inference$/),
    ),
  },
  {
    line: 'the result includes the step that waits, and the stream ends with `finish`',
    explains: anyOf(
      at(new RegExp(`${approving}calls\\[\\d+\\]\\.(totalUsage|usage)`)),
      only('ours', new RegExp(`${approving}calls\\[\\d+\\]\\.steps\\[\\d+\\]$`)),
      only('ours', new RegExp(`${approving}ui\\[\\d+\\]$`), /^finish$/),
      at(/^\.spans.*\.children\[\d+\]\.(usage|finishReason|output\.(toolName|text))/),
    ),
  },
  {
    line: 'is sent after the approval, the call before it',
    explains: ({ path, stock, ours }) =>
      /^\.talks\.seller\.(calls\[\d+\]\.chunks|ui)\[\d+\]$/.test(path) &&
      mentions(stock ?? ours, /"(step-start|start-step|tool-call)"/),
  },
  {
    line: "continues its message and its trace; a call of a client's tool ends it",
    explains: anyOf(
      ({ stock, ours }) => stock === 'I order.' && ours === 'I order. (audited)', // a guard's edit of the message that the run continues
      at(new RegExp(`${approving}(rows|calls\\[\\d+\\]\\.text$)`)),
      ({ path, stock, ours }) => path.startsWith('.spans') && mentions(fieldsOf(ours ?? stock)?.['name'], /\(resumed\)/),
      only('stock', /^\.spans\[\d+\]$/, /^agent_run$/),
    ),
  },
  {
    line: "a shorter `resumeSchema`, Mastra's error in `tool-error`",
    explains: at(/resumeSchema$|^\.talks\.guide\.calls\[\d+\]\.chunks\[\d+\]\.error\./),
  },
  {
    line: "are read by the tool's schema: with defaults",
    explains: anyOf(
      only('ours', /\.(args|input|toolInput)\.limit$/),
      ({ path, stock }) => path.endsWith('.arguments') && mentions(stock, /select 1/),
    ),
  },
  {
    line: 'the object is accepted after all steps',
    explains: ({ path, stock, ours }) =>
      /\.(chunks|ui)\[\d+\]$/.test(path) && /^(object-result|data-structured-output)$/.test(extraType({ path, stock, ours })),
  },
  {
    line: 'OpenAI may write null for optional fields',
    explains: at(/^\.requests\[\d+\]\.body\.text\.format\.schema\.properties\./),
  },
  {
    line: '`text` is the new text',
    explains: ({ path, stock }) =>
      /^\.(talks\.writer\.calls|spans)\[.*text$/.test(path) && mentions(stock, /(goes on|Once) and on/),
  },
  {
    line: 'fails with `agent/model-unresolved`',
    explains: anyOf(
      at(/^\.talks\.broken\./),
      ({ path, stock, ours }) => path.startsWith('.spans') && mentions([stock, ours], /no-model/),
    ),
  },
];
