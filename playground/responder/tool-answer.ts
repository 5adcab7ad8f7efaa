import type { ToolAnswer } from './conversation.js';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const sayKey = (key: string): string =>
  key
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

const sayValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(sayValue).join(', ');
  if (isRecord(value)) return sayFields(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const sayFields = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${sayKey(key)} ${sayValue(value)}`)
    .join(', ');

/** A sentence made from a tool's result, and from nothing else: what a guard removed from the result is not in it. */
export const sayToolAnswer = ({ toolName, content }: ToolAnswer): string => {
  const result = parse(content);
  const said = isRecord(result) ? sayFields(result) : sayValue(result);
  return `I asked ${toolName}, and this is what it told me: ${said.replace(/\.$/, '')}. Is there anything else I can do for this order?`;
};
