import { startOpenAIServer, type ChatRequest, type Reply } from '../../src/testing/index.js';
import { readConversation, type ToolAnswer } from './conversation.js';
import { introduction, scenarios } from './scenarios.js';

/** The id of the responder's only model. */
export const responderModel = 'local-responder';

export interface ResponderOptions {
  /** Milliseconds between deltas. Default 10, so that streaming can be seen. */
  readonly delayMs?: number;
  /** Default 0: a free port. */
  readonly port?: number;
}

export interface Responder {
  /** The base URL for an OpenAI-compatible client, e.g. `http://127.0.0.1:40123/v1`. */
  readonly baseUrl: string;
  readonly model: typeof responderModel;
  readonly close: () => Promise<void>;
}

/** The response to a request. */
const respond = (request: ChatRequest): Reply => {
  const conversation = readConversation(request);
  const answered = conversation.toolAnswers.at(-1);
  if (answered) return { kind: 'text', text: formatToolAnswer(answered), chunks: 4 };
  const scenario = scenarios.find(({ matches }) => matches(conversation.userText));
  return scenario ? scenario.reply(conversation) : introduction();
};

/**
 * Starts the demo's responder for use without a configured model: a server on the loopback interface with the
 * OpenAI protocol and prepared answers. No data leaves the machine.
 */
export const startResponder = async ({ delayMs = 10, port }: ResponderOptions = {}): Promise<Responder> => {
  const { baseUrl, close } = await startOpenAIServer({ reply: respond, delayMs, port, models: [responderModel] });
  return { baseUrl, model: responderModel, close };
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const formatKey = (key: string): string =>
  key
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

const formatValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  if (isRecord(value)) return formatFields(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const formatFields = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${formatKey(key)} ${formatValue(value)}`)
    .join(', ');

/** A sentence made only from a tool's result, so that it does not contain what a guard removed. */
const formatToolAnswer = ({ toolName, content }: ToolAnswer): string => {
  const result = parse(content);
  const formatted = isRecord(result) ? formatFields(result) : formatValue(result);
  return `The tool ${toolName} returned: ${formatted.replace(/\.$/, '')}. Is there anything else I can do for this order?`;
};
