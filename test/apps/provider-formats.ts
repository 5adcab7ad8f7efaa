import { createHash } from 'node:crypto';

/** A request to a model, in the same form for each provider. */
export interface ModelRequest {
  readonly system: string;
  /** The messages after the system's, each as text; a tool's result as JSON. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly tools: readonly string[];
  /** The schema of the answer, if one is requested. */
  readonly schema: unknown;
}

/** A model's answer. Text has a delta per word. */
export interface Answer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
}

type Json = Record<string, unknown>;

/** The protocol of a provider: reads its requests, writes its answers as one body or as the events of a stream. */
export interface Format {
  readonly read: (body: Json) => ModelRequest;
  readonly body: (answer: Answer, seed: string) => Json;
  readonly events: (answer: Answer, seed: string) => readonly Json[];
}

/** Requests with the same question, tools and number of later messages get the same ids. */
export const seedOf = ({ messages, tools }: ModelRequest): string => {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  const seed = JSON.stringify([messages[question], messages.length - question, tools]);
  return createHash('sha1').update(seed).digest('hex').slice(0, 8);
};

const words = (text: string): string[] => text.match(/\S+\s*/g) ?? [];

const textIn = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: Json) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
};

const isSystem = ({ role }: { role: string }) => role === 'system' || role === 'developer';

const requestOf = (
  all: readonly { role: string; text: string }[],
  rest: Pick<ModelRequest, 'tools' | 'schema'>,
): ModelRequest => ({
  system: all
    .filter(isSystem)
    .map(({ text }) => text)
    .join('\n'),
  messages: all.filter((message) => !isSystem(message)),
  ...rest,
});

const responseItems = ({ reasoning, text, calls = [] }: Answer, seed: string): Json[] => [
  ...(reasoning === undefined
    ? []
    : [
        {
          type: 'reasoning',
          id: `rs_${seed}`,
          encrypted_content: `enc_${seed}`,
          summary: [{ type: 'summary_text', text: reasoning }],
        },
      ]),
  ...(text === undefined
    ? []
    : [
        {
          type: 'message',
          id: `msg_${seed}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
        },
      ]),
  ...calls.map(({ name, args }, index) => ({
    type: 'function_call',
    id: `fc_${seed}_${index}`,
    call_id: `call_${seed}_${index}`,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  })),
];

const responseUsage = (answer: Answer) => ({
  input_tokens: 20,
  output_tokens: JSON.stringify(answer).length,
  total_tokens: 20 + JSON.stringify(answer).length,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens_details: { reasoning_tokens: answer.reasoning?.length ?? 0 },
});

const responseBody = (answer: Answer, seed: string): Json => ({
  id: `resp_${seed}`,
  object: 'response',
  created_at: 1,
  model: 'gpt-5-mini',
  status: 'completed',
  output: responseItems(answer, seed),
  usage: responseUsage(answer),
});

const itemEvents = (item: Json, output_index: number, answer: Answer): Json[] => {
  const item_id = item['id'];
  const at = { item_id, output_index };
  const added = { type: 'response.output_item.added', output_index, item: { ...item, summary: [], content: [], arguments: '' } };
  const done = { type: 'response.output_item.done', output_index, item };
  switch (item['type']) {
    case 'function_call':
      return [added, { type: 'response.function_call_arguments.delta', ...at, delta: item['arguments'] }, done];
    case 'reasoning':
      return [
        added,
        { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part: { type: 'summary_text', text: '' } },
        { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: answer.reasoning },
        {
          type: 'response.reasoning_summary_part.done',
          ...at,
          summary_index: 0,
          part: { type: 'summary_text', text: answer.reasoning },
        },
        done,
      ];
    default: {
      const delta = (text: string) => ({
        type: 'response.output_text.delta',
        ...at,
        content_index: 0,
        delta: text,
        logprobs: [],
      });
      return [added, ...words(answer.text ?? '').map(delta), done];
    }
  }
};

/** OpenAI's Responses, the default of `openai('…')`. */
const responses: Format = {
  read: ({ input, tools = [], text }) =>
    requestOf(
      (input as Json[]).map((item) => {
        if (item['type'] === 'function_call')
          return { role: 'assistant', text: `${String(item['name'])}${String(item['arguments'])}` };
        if (item['type'] === 'function_call_output') return { role: 'tool', text: String(item['output']) };
        return { role: String(item['role']), text: textIn(item['content']) };
      }),
      {
        tools: (tools as Json[]).map(({ name }) => String(name)),
        schema: (text as { format?: Json } | undefined)?.format?.['schema'],
      },
    ),
  body: responseBody,
  events: (answer, seed) => [
    { type: 'response.created', response: { ...responseBody(answer, seed), status: 'in_progress', output: [] } },
    ...responseItems(answer, seed).flatMap((item, index) => itemEvents(item, index, answer)),
    { type: 'response.completed', response: responseBody(answer, seed) },
  ],
};

const anthropicBlocks = ({ text, calls = [] }: Answer, seed: string): Json[] => [
  ...(text === undefined ? [] : [{ type: 'text', text }]),
  ...calls.map(({ name, args }, index) => ({ type: 'tool_use', id: `toolu_${seed}_${index}`, name, input: args })),
];

const anthropicBody = (answer: Answer, seed: string) => ({
  type: 'message',
  id: `message_${seed}`,
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: anthropicBlocks(answer, seed),
  stop_reason: answer.calls?.length ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 20,
    output_tokens: JSON.stringify(answer).length,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 2,
  },
});

const blockDeltas = (block: Json): Json[] =>
  block['type'] === 'text'
    ? words(String(block['text'])).map((text) => ({ type: 'text_delta', text }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }];

const anthropicText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as Json[])
        .map((part) => {
          if (part['type'] === 'tool_result') return textIn(part['content']);
          return part['type'] === 'tool_use' ? JSON.stringify(part['input']) : textIn([part]);
        })
        .join('');

const anthropic: Format = {
  read: ({ system, messages, tools = [] }) =>
    requestOf(
      [
        { role: 'system', text: textIn(system) },
        ...(messages as { role: string; content: Json[] }[]).map(({ role, content }) => ({
          role: Array.isArray(content) && content.some(({ type }) => type === 'tool_result') ? 'tool' : role,
          text: anthropicText(content),
        })),
      ],
      { tools: (tools as Json[]).map(({ name }) => String(name)), schema: undefined },
    ),
  body: anthropicBody,
  events: (answer, seed) => {
    const message = anthropicBody(answer, seed);
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...message.content.flatMap((block, index) => [
        {
          type: 'content_block_start',
          index,
          content_block: { ...block, ...(block['type'] === 'text' ? { text: '' } : { input: {} }) },
        },
        ...blockDeltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage },
      { type: 'message_stop' },
    ];
  },
};

/** By the path of a request. */
export const formats: Readonly<Record<string, Format>> = { '/responses': responses, '/messages': anthropic };
