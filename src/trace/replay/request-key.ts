import { stringify } from 'safe-stable-stringify';
import type { Frozen } from '../contents.js';

/** The model and its request. */
interface AskedModel {
  readonly modelId: string;
  readonly provider: string;
}

/** When a message was made is nothing that a model goes by. */
const withoutTimes = (key: string, value: unknown): unknown => (key === 'createdAt' ? undefined : value);

/** Two requests with one key ask a model the same. */
export const requestKey = ({ modelId, provider }: AskedModel, { lists, values }: Frozen): string =>
  stringify([modelId, provider, [...lists].map(([name, list]) => [name, list.map(parsed)]), values], withoutTimes) ?? '';

const parsed = (json: string): unknown => JSON.parse(json);
