import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from 'ai';

/** The parts of a provider's answer: their words, each with a value that represents them. */
export interface FakeAnswer {
  readonly thinking?: string;
  readonly text?: string;
  /** The argument of a call of the tool `mail`. */
  readonly to?: string;
}

/** A provider's own client over a scripted answer for each request. */
interface FakeProvider {
  readonly model: LanguageModel;
  /** The bodies of the requests, as text. */
  readonly bodies: string[];
}

type Events = readonly object[];

/** A provider's answer in its own format: as one body, and as events of a stream. */
interface Format {
  body(answer: FakeAnswer, turn: number): object;
  events(answer: FakeAnswer, turn: number): Events;
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const openAiItems = ({ thinking, text, to }: FakeAnswer, turn: number): Record<string, unknown>[] => [
  ...(thinking === undefined
    ? []
    : [
        {
          type: 'reasoning',
          id: `rs_${turn}`,
          encrypted_content: `ENC_${turn}`,
          summary: [{ type: 'summary_text', text: thinking }],
        },
      ]),
  ...(text === undefined
    ? []
    : [
        {
          type: 'message',
          id: `msg_${turn}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
        },
      ]),
  ...(to === undefined
    ? []
    : [
        {
          type: 'function_call',
          id: `fc_${turn}`,
          call_id: `call_${turn}`,
          name: 'mail',
          arguments: JSON.stringify({ to }),
          status: 'completed',
        },
      ]),
];

const openAiResponse = (answer: FakeAnswer, turn: number) => ({
  id: `resp_${turn}`,
  object: 'response',
  created_at: 1,
  model: 'gpt-5-mini',
  status: 'completed',
  output: openAiItems(answer, turn),
  usage,
});

const openAi: Format = {
  body: openAiResponse,
  events: (answer, turn) => {
    const response = openAiResponse(answer, turn);
    const items = openAiItems(answer, turn).flatMap((item, output_index): object[] => {
      const item_id = item['id'];
      const added = {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, summary: [], content: [], arguments: '' },
      };
      const done = { type: 'response.output_item.done', output_index, item };
      const words = item['type'] === 'reasoning' ? answer.thinking : answer.text;
      if (item['type'] === 'function_call')
        return [added, { type: 'response.function_call_arguments.delta', item_id, output_index, delta: item['arguments'] }, done];
      return item['type'] === 'reasoning'
        ? [
            added,
            {
              type: 'response.reasoning_summary_part.added',
              item_id,
              output_index,
              summary_index: 0,
              part: { type: 'summary_text', text: '' },
            },
            { type: 'response.reasoning_summary_text.delta', item_id, output_index, summary_index: 0, delta: words },
            {
              type: 'response.reasoning_summary_part.done',
              item_id,
              output_index,
              summary_index: 0,
              part: { type: 'summary_text', text: words },
            },
            done,
          ]
        : [
            added,
            { type: 'response.output_text.delta', item_id, output_index, content_index: 0, delta: words, logprobs: [] },
            done,
          ];
    });
    return [{ type: 'response.created', response }, ...items, { type: 'response.completed', response }];
  },
};

const anthropicBlocks = ({ thinking, text, to }: FakeAnswer, turn: number): Record<string, unknown>[] => [
  ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: `SIG_${turn}` }]),
  ...(text === undefined ? [] : [{ type: 'text', text }]),
  ...(to === undefined ? [] : [{ type: 'tool_use', id: `toolu_${turn}`, name: 'mail', input: { to } }]),
];

const anthropicMessage = (answer: FakeAnswer, turn: number) => ({
  type: 'message',
  id: `message_${turn}`,
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: anthropicBlocks(answer, turn),
  stop_reason: answer.to === undefined ? 'end_turn' : 'tool_use',
  stop_sequence: null,
  usage,
});

const anthropicDeltas: Readonly<Record<string, (block: Record<string, unknown>) => object[]>> = {
  thinking: ({ thinking, signature }) => [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ],
  text: ({ text }) => [{ type: 'text_delta', text }],
  tool_use: ({ input }) => [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
};

const anthropic: Format = {
  body: anthropicMessage,
  events: (answer, turn) => {
    const message = anthropicMessage(answer, turn);
    const empty = { thinking: '', signature: '', text: '', input: {} };
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...message.content.flatMap((block, index) => {
        const start = Object.fromEntries(
          Object.entries(block).map(([name, value]) => [name, name in empty ? empty[name as 'text'] : value]),
        );
        const deltas = anthropicDeltas[String(block['type'])]?.(block) ?? [];
        return [
          { type: 'content_block_start', index, content_block: start },
          ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
          { type: 'content_block_stop', index },
        ];
      }),
      { type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
};

const googleBody = ({ thinking, text, to }: FakeAnswer, turn: number) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          ...(thinking === undefined ? [] : [{ text: thinking, thought: true, thoughtSignature: `SIG_thinking_${turn}` }]),
          ...(text === undefined ? [] : [{ text, thoughtSignature: `SIG_text_${turn}` }]),
          ...(to === undefined ? [] : [{ functionCall: { name: 'mail', args: { to } }, thoughtSignature: `SIG_call_${turn}` }]),
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});

const google: Format = { body: googleBody, events: (answer, turn) => [googleBody(answer, turn)] };

/** A `fetch` that answers with a script: as a stream if the request asks for one. */
const fakeFetch = ({ body, events }: Format, script: readonly FakeAnswer[], bodies: string[]): typeof fetch => {
  return async (input, init) => {
    const text = init?.body as string; // the clients send JSON
    const answer = script[bodies.length] ?? { text: 'Done.' };
    bodies.push(text);
    const turn = bodies.length;
    const isStream = String(input instanceof Request ? input.url : input).includes('alt=sse') || /"stream":\s*true/.test(text);
    if (!isStream) return Response.json(body(answer, turn));
    const lines = events(answer, turn).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
  };
};

const fake = (
  format: Format,
  make: (fetch: typeof globalThis.fetch) => LanguageModel,
  script: readonly FakeAnswer[],
): FakeProvider => {
  const bodies: string[] = [];
  return { model: make(fakeFetch(format, script, bodies)), bodies };
};

const apiKey = 'none';

/** The real clients, each over a fake of its provider. */
export const fakeProviders: Readonly<Record<'openai' | 'anthropic' | 'google', (script: readonly FakeAnswer[]) => FakeProvider>> =
  {
    openai: (script) => fake(openAi, (fetch) => createOpenAI({ apiKey, fetch }).responses('gpt-5-mini'), script),
    anthropic: (script) => fake(anthropic, (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5'), script),
    google: (script) => fake(google, (fetch) => createGoogle({ apiKey, fetch })('gemini-3-pro-preview'), script),
  };
