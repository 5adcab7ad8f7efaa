import { InterlockError } from '../errors.js';
import { openPayload } from '../mastra/workflow/step.js';
import { sampleForms, type Sample } from './sample.js';

/**
 * Reads a data set: JSON lines, each with a `label` and a `text`, `chunks` or a `payload`. Empty lines are skipped.
 *
 * Raises `eval/invalid-data` for the first invalid line, with `path` and line number.
 */
export const parseSamples = (lines: string, path = 'data'): Sample[] => {
  const samples = lines
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, `${path}:${index + 1}`)]));
  if (samples.length === 0) throw invalid(path, 'it has no lines.');
  const ids = new Set<string>();
  for (const { id, where } of samples) {
    if (ids.has(id)) throw invalid(where, `the id "${id}" stands in another line too.`);
    ids.add(id);
  }
  return samples;
};

type Form = keyof typeof sampleForms;

const readLine = (line: string, where: string): Sample => {
  const value = parseJson(line, where);
  const forms = (Object.keys(sampleForms) as Form[]).filter(
    (name) => typeof value === 'object' && value !== null && name in value,
  );
  const [form] = forms;
  if (!form || forms.length > 1)
    throw invalid(where, `it needs one of ${Object.keys(sampleForms).join(', ')}, and has ${forms.join(', ') || 'none'}.`);
  const read = sampleForms[form].safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(where, `${issue?.path.join('.') || 'the line'}: ${issue?.message}`);
  }
  const { id = where, label, ...judged } = read.data;
  if ('payload' in judged) checkPayload(judged.payload, where);
  return { id, label, judged, where };
};

const parseJson = (line: string, where: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw invalid(where, 'it is no JSON.');
  }
};

const checkPayload = (payload: object, where: string): void => {
  try {
    openPayload(structuredClone(payload));
  } catch (error) {
    throw invalid(where, error instanceof Error ? error.message : String(error));
  }
};

const invalid = (path: string, detail: string): InterlockError => new InterlockError('eval/invalid-data', { path, detail });
