/** Fields about the place and kind of a judgement, which contain no text of the conversation. */
const facts = new Set([
  'id',
  'role',
  'format',
  'createdAt',
  'type',
  'stepNumber',
  'retryCount',
  'messageId',
  'runId',
  'toolCallId',
  'toolName',
  'finishReason',
  'providerExecuted',
  'fromCache',
  'decision',
  'toolChoice',
  'activeTools',
  'usage',
]);

/** Fields whose form is the host's: what they hold is gone through. */
const forms = new Set(['messages', 'systemMessages', 'prompt', 'content', 'parts', 'toolInvocation', 'toolCalls']);

/** Fields of a payload that are no part of what is judged: the list is in `messages`, and the rest is the run's own. */
const unsaid = new Set(['phase', 'messageList', 'state', 'streamParts', 'part', 'chunks']);

/** What a trace shows of a payload: all of it that can be written down; the words in it only where that is asked for. */
export const describePayload = (payload: object, hasWords: boolean): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]: [string, unknown]) => {
      if (unsaid.has(name) || value === undefined) return [];
      const own = shortForms[name]?.(value);
      return [[name, own ?? (hasWords ? value : redactedValue(value, name))]];
    }),
  );

/** What is too large to be written down, or cannot be. */
const shortForms: Record<string, ((value: unknown) => unknown) | undefined> = {
  model: (value) => {
    const { modelId, provider, specificationVersion } = value as Record<string, unknown>;
    return { modelId, provider, specificationVersion };
  },
  tools: (value) => Object.keys(value as object),
  steps: (value) => ({ count: (value as unknown[]).length }),
};

/** A value with how long its texts are in place of its texts. What has no known form is a text. */
export const redactedValue = (value: unknown, name: string): unknown => {
  if (value === undefined || value === null || typeof value === 'boolean' || facts.has(name)) return value;
  if (typeof value !== 'object' || !forms.has(name)) return lengthOf(value);
  if (Array.isArray(value)) return value.map((item: unknown) => (typeof item === 'object' ? formOf(item) : lengthOf(item)));
  return formOf(value);
};

const formOf = (value: object | null): unknown =>
  value &&
  Object.fromEntries(Object.entries(value).map(([name, inner]: [string, unknown]) => [name, redactedValue(inner, name)]));

const lengthOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : asJson(value);
  return text === undefined ? 'not shown' : `${text.length} characters`;
};

const asJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};
