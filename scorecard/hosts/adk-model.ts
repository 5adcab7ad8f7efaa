import { BaseLlm, type LlmRequest, type LlmResponse } from '@google/adk';
import type OpenAI from 'openai';

type Content = LlmRequest['contents'][number];
type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

const toMessages = ({ role, parts = [] }: Content): Message[] => {
  const text = parts.map((part) => part.text ?? '').join('');
  const calls = parts.flatMap(({ functionCall: call }) =>
    call
      ? [
          {
            id: call.id ?? call.name ?? '',
            type: 'function' as const,
            function: { name: call.name ?? '', arguments: JSON.stringify(call.args) },
          },
        ]
      : [],
  );
  const results = parts.flatMap(({ functionResponse: result }): Message[] =>
    result ? [{ role: 'tool', tool_call_id: result.id ?? result.name ?? '', content: JSON.stringify(result.response) }] : [],
  );
  if (results.length > 0) return results;
  return role === 'model'
    ? [{ role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) }]
    : [{ role: 'user', content: text }];
};

const toTools = ({ config }: LlmRequest) =>
  (config?.tools ?? []).flatMap((tool) =>
    (
      (
        tool as {
          functionDeclarations?: { name?: string; description?: string; parameters?: unknown; parametersJsonSchema?: unknown }[];
        }
      ).functionDeclarations ?? []
    ).map((it) => ({
      type: 'function' as const,
      function: {
        name: it.name ?? '',
        description: it.description ?? '',
        parameters: JSON.parse(
          JSON.stringify(it.parametersJsonSchema ?? it.parameters ?? {})
            .replaceAll('"OBJECT"', '"object"')
            .replaceAll('"STRING"', '"string"'),
        ) as Record<string, unknown>,
      },
    })),
  );

/** ADK brings models of Google alone; this one asks an OpenAI-compatible endpoint. */
export class CompatibleLlm extends BaseLlm {
  private readonly client: OpenAI;

  constructor(client: OpenAI) {
    super({ model: 'local-model' });
    this.client = client;
  }

  override async *generateContentAsync(request: LlmRequest, stream = false): AsyncGenerator<LlmResponse, void> {
    const tools = toTools(request);
    const body = { model: this.model, messages: request.contents.flatMap(toMessages), ...(tools.length > 0 && { tools }) };
    let text = '';
    const calls: { id: string; name: string; args: string }[] = [];
    for await (const chunk of await this.client.chat.completions.create({ ...body, stream: true })) {
      const { content, tool_calls: deltas = [] } = chunk.choices[0]?.delta ?? {};
      for (const { index, id, function: it } of deltas) {
        const call = (calls[index] ??= { id: id ?? '', name: '', args: '' });
        call.name += it?.name ?? '';
        call.args += it?.arguments ?? '';
      }
      if (!content) continue;
      text += content;
      if (stream) yield { content: { role: 'model', parts: [{ text: content }] }, partial: true };
    }
    const parts = calls.map(({ id, name, args }) => ({
      functionCall: { id, name, args: JSON.parse(args || '{}') as Record<string, unknown> },
    }));
    yield { content: { role: 'model', parts: [...(text ? [{ text }] : []), ...parts] }, partial: false, turnComplete: true };
  }

  override connect(): never {
    throw new Error('There is no live connection.');
  }
}
