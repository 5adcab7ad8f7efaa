interface Answer {
  readonly content?: unknown;
  readonly stream?: ReadableStream<object>;
}

interface Model {
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** A provider's model whose records repeat the prompt, as request bodies, and the answer, as metadata. */
export const quoting = <M extends Model>(model: M): M => {
  const requestOf = (options: never) => ({ body: JSON.stringify((options as { prompt: unknown }).prompt) });
  return {
    ...model,
    doGenerate: async (options: never) => {
      const answer = (await model.doGenerate(options)) as Answer;
      const quote = JSON.stringify(answer.content);
      return { ...answer, request: requestOf(options), providerMetadata: { provider: { quote } } };
    },
    doStream: async (options: never) => {
      const answer = (await model.doStream(options)) as Required<Answer>;
      const parts: object[] = [];
      const quoted = new TransformStream<object, object>({
        transform: (part, controller) => {
          parts.push(part);
          const isFinish = 'type' in part && part.type === 'finish';
          controller.enqueue(isFinish ? { ...part, providerMetadata: { provider: { quote: JSON.stringify(parts) } } } : part);
        },
      });
      return { ...answer, request: requestOf(options), stream: answer.stream.pipeThrough(quoted) };
    },
  };
};
