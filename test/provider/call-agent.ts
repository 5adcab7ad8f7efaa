import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { FullOutput } from '@mastra/core/stream';
import {
  InterlockAgent,
  type InterlockAgentConfig,
  type InterlockCallOptions,
  type RunEvent,
  type RunStatus,
} from '../../src/index.js';
import type { OpenAIServer } from '../../src/testing/index.js';

/** The two ways to a model behind OpenAI's protocol. */
export const clients = {
  "the AI SDK's client": ({ baseUrl }: OpenAIServer) =>
    // The AI SDK's model type is one finish reason ("interrupted") ahead of Mastra's.
    createOpenAICompatible({ name: 'local', baseURL: baseUrl, includeUsage: true }).chatModel('some-model') as MastraModelConfig,
  "Mastra's model config": ({ baseUrl }: OpenAIServer): MastraModelConfig => ({
    id: 'local/some-model',
    url: baseUrl,
    apiKey: 'secret-key',
  }),
};
export type ClientName = keyof typeof clients;

const modes = ['generate', 'stream'] as const;

/** Every client in every mode, for table tests. */
export const ways = (Object.keys(clients) as ClientName[]).flatMap((client) => modes.map((mode) => ({ client, mode })));

export type Way = (typeof ways)[number];

export interface Chunk {
  readonly type: string;
  readonly payload?: Record<string, unknown>;
  readonly data?: unknown;
}

/** A call, in any mode. */
export interface Called {
  readonly status: RunStatus;
  /** The result of `generate` or `getFullOutput`; empty if the run failed. */
  readonly result: Partial<FullOutput>;
  readonly text: string | undefined;
  readonly finishReason: string | undefined;
  readonly usage: FullOutput['usage'] | undefined;
  readonly error?: Error & { code?: string };
  readonly events: readonly RunEvent[];
  /** The error code in the run's last event. */
  readonly code: string | undefined;
  /** The streamed chunks; empty for `generate`. */
  readonly chunks: readonly Chunk[];
}

type Config = Partial<InterlockAgentConfig> & { call?: InterlockCallOptions };

/** Calls an agent of the configuration over the protocol, to the end of its run. */
export const callAgent = async (
  server: OpenAIServer,
  { client, mode }: Way,
  { call, ...config }: Config = {},
): Promise<Called> => {
  const agent = makeAgent(server, client, config);
  const events: RunEvent[] = [];
  const options = { ...call, onRunEvent: (event: RunEvent) => void events.push(event) };
  const chunks: Chunk[] = [];
  const run = async () => {
    if (mode === 'generate') return agent.generate('Hello', options);
    const stream = await agent.stream('Hello', options);
    for await (const chunk of stream.fullStream) chunks.push(chunk as Chunk);
    return stream.getFullOutput();
  };
  const settled = await run().then(
    (result): Settled => ({ result }),
    (error: Error): Settled => ({ result: {}, error }),
  );
  const end = events.at(-1);
  if (end?.type !== 'run-finish') throw new Error('The run has no end.', { cause: settled.error });
  const { text, finishReason, usage } = settled.result;
  return { status: end.status, code: end.error?.code, text, finishReason, usage, ...settled, events, chunks };
};

type Settled = Pick<Called, 'result' | 'error'>;

export const makeAgent = (server: OpenAIServer, client: ClientName, config: Partial<InterlockAgentConfig> = {}) =>
  new InterlockAgent({ id: 'over-http', name: 'Over HTTP', instructions: 'Answer.', ...config, model: clients[client](server) });

/** The text of a stream, joined by its reader. */
export const streamedText = (chunks: readonly Chunk[]): string =>
  chunks.map(({ type, payload }) => (type === 'text-delta' ? String(payload?.['text']) : '')).join('');
