import type { StudioEntry } from '../../protocol/trace-entry.js';

/** A line in words: the event, and its subject. */
export interface EntryText {
  readonly title: string;
  readonly detail: string;
}

/** Fields that every event has, or that the title contains. */
const common = new Set(['runId', 'seq', 'at', 'stepNumber', 'attempt', 'type']);

const written = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const fieldsOf = (record: object): string =>
  Object.entries(record)
    .filter(([name, value]) => !common.has(name) && value !== undefined)
    .map(([name, value]) => `${name}: ${written(value)}`)
    .join(', ');

/** Describes a line of a run for the list of its events and the search in it. */
export const describeEntry = (entry: StudioEntry): EntryText => {
  switch (entry.kind) {
    case 'event':
      return { title: entry.event.type, detail: fieldsOf(entry.event) };
    case 'input':
      return { title: 'input', detail: entry.messages.map(({ role, text }) => `${role}: ${text}`).join(' | ') };
    case 'came':
      return { title: `model: ${entry.part.type}`, detail: entry.part.chars > 0 ? `${entry.part.chars} characters` : '' };
    case 'left':
      return {
        title: `emitted: ${entry.part.type}`,
        detail: entry.text ?? (entry.data === undefined ? '' : written(entry.data)),
      };
    case 'tool':
      return { title: `tool: ${entry.toolName}`, detail: fieldsOf({ args: entry.args, result: entry.result }) };
    case 'status':
      return { title: `status: ${entry.status}`, detail: entry.tripwire?.reason ?? entry.error?.message ?? '' };
    case 'asked':
      return { title: 'guards called', detail: fieldsOf({ phase: entry.phase, pipeline: entry.pipelineId }) };
    default:
      return entry satisfies never;
  }
};

/** The lines that contain every word of a query. */
export const searchEntries = (entries: readonly StudioEntry[], query: string): readonly StudioEntry[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter((entry) => {
    const { title, detail } = describeEntry(entry);
    const text = `${title} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
};
