import { stringify } from 'safe-stable-stringify';
import type { Frozen } from '../contents.js';

/** The model and its request. */
interface RequestedModel {
  readonly modelId: string;
  readonly provider: string;
}

/** Models do not see the times of messages. */
const withoutTimes = (key: string, value: unknown): unknown => (key === 'createdAt' ? undefined : value);

/** Requests with equal keys are equal to the model. */
export const requestKey = ({ modelId, provider }: RequestedModel, { lists, values }: Frozen): string =>
  stringify([modelId, provider, [...lists].map(([name, list]) => [name, list.map(parsed)]), values], withoutTimes) ?? '';

const parsed = (json: string): unknown => JSON.parse(json);
