import type { Place } from '../../../protocol/trace-entry.js';
import type { Cutting, LabStream } from '../../../protocol/workbench.js';

/** The user's settings in the lab. */
export type LabSettings = LabStream;

export const labKinds = ['text', 'reasoning', 'tool-input'] as const satisfies readonly LabStream['kind'][];

/** The longest text that goes into a link, in UTF-16 units. */
export const longestLinkedText = 2000;

/** Whether a link includes the text. */
export const isLinked = ({ text }: LabSettings): boolean => text.length <= longestLinkedText;

/** Settings as a link's query. A text that is too long for a link is left out. */
export const writeLabLink = (settings: LabSettings): string => {
  const { pipelineId, text, kind, cutting } = settings;
  const query = new URLSearchParams({ pipeline: pipelineId, kind });
  if (isLinked(settings)) query.set('text', text);
  for (const [name, value] of Object.entries(writeCutting(cutting))) query.set(name, value);
  return query.toString();
};

/** The lab with the stream of a recorded attempt. */
export const labHref = (runId: string, { stepNumber, attempt }: Place, pipelineId: string): string =>
  `/lab?${writeLabLink({ pipelineId, text: '', kind: 'text', cutting: { kind: 'recorded', runId, stepNumber, attempt } })}`;

/** Reads a link's query. Missing or invalid values come from `otherwise`. */
export const readLabLink = (search: string, otherwise: LabSettings): LabSettings => {
  const query = new URLSearchParams(search);
  return {
    pipelineId: query.get('pipeline') ?? otherwise.pipelineId,
    text: query.get('text') ?? otherwise.text,
    kind: labKinds.find((kind) => kind === query.get('kind')) ?? otherwise.kind,
    cutting: readCutting(query) ?? otherwise.cutting,
  };
};

const writeCutting = (cutting: Cutting): Record<string, string> => {
  switch (cutting.kind) {
    case 'characters':
      return { cut: cutting.kind };
    case 'random':
      return { cut: cutting.kind, seed: String(cutting.seed), mean: String(cutting.mean) };
    case 'by-hand':
      return { cut: cutting.kind, at: cutting.at.join('.') };
    case 'recorded':
      return { cut: cutting.kind, run: cutting.runId, step: String(cutting.stepNumber), attempt: String(cutting.attempt) };
    default:
      return cutting satisfies never;
  }
};

const readCutting = (query: URLSearchParams): Cutting | undefined => {
  const whole = (name: string, least: number): number | undefined => {
    const value = Number(query.get(name) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= least ? value : undefined;
  };
  const readers: Record<Cutting['kind'], () => Cutting | undefined> = {
    characters: () => ({ kind: 'characters' }),
    random: () => ({ kind: 'random', seed: whole('seed', 0) ?? 1, mean: whole('mean', 1) ?? 4 }),
    'by-hand': () => ({
      kind: 'by-hand',
      at: (query.get('at') ?? '')
        .split('.')
        .map(Number)
        .filter((position) => Number.isSafeInteger(position) && position > 0),
    }),
    recorded: () => {
      const runId = query.get('run');
      if (!runId) return undefined;
      return { kind: 'recorded', runId, stepNumber: whole('step', 0) ?? 0, attempt: whole('attempt', 1) ?? 1 };
    },
  };
  const cut = query.get('cut') ?? '';
  return Object.hasOwn(readers, cut) ? readers[cut as Cutting['kind']]() : undefined;
};
