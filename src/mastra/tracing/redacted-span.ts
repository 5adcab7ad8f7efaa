/** Fields about the position and kind of a judgement, which contain no text of the conversation. */
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
  'finishReason',
  'providerExecuted',
  'fromCache',
  'decision',
  'toolChoice',
  'activeTools',
  'usage',
]);

/** Fields with the host's structure, which are processed recursively. */
const forms = new Set(['messages', 'systemMessages', 'prompt', 'content', 'parts', 'toolInvocation', 'toolCalls']);

/** Fields of a payload that are not judged: the list is in `messages`, and the others are internal to the run. */
const unsaid = new Set(['phase', 'messageList', 'state', 'streamParts', 'part', 'chunks']);

/** The name of a tool in spans without text: the model may have made it up. */
export type NameTool = (toolName: string) => string;

/** The description of a payload for a trace: all serializable fields; text only without `nameTool`. */
export const describePayload = (payload: object, nameTool: NameTool | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]: [string, unknown]) => {
      if (unsaid.has(name) || value === undefined) return [];
      const own = shortForms[name]?.(value);
      return [[name, own ?? (nameTool ? redactedValue(value, name, nameTool) : value)]];
    }),
  );

/** Short forms of fields that are too large or not serializable. */
const shortForms: Record<string, ((value: unknown) => unknown) | undefined> = {
  model: (value) => {
    const { modelId, provider, specificationVersion } = value as Record<string, unknown>;
    return { modelId, provider, specificationVersion };
  },
  tools: (value) => Object.keys(value as object),
  steps: (value) => ({ count: (value as unknown[]).length }),
};

/** A value with lengths in place of its texts. Values of unknown structure count as text. */
export const redactedValue = (value: unknown, name: string, nameTool?: NameTool): unknown => {
  if (name === 'toolName' && nameTool) return nameTool(String(value));
  if (value === undefined || value === null || typeof value === 'boolean' || facts.has(name)) return value;
  if (typeof value !== 'object' || !forms.has(name)) return lengthOf(value);
  if (!Array.isArray(value)) return formOf(value, nameTool);
  return value.map((item: unknown) => (typeof item === 'object' ? formOf(item, nameTool) : lengthOf(item)));
};

const formOf = (value: object | null, nameTool?: NameTool): unknown =>
  value &&
  Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [name, redactedValue(inner, name, nameTool)]),
  );

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
