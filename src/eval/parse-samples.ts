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
  for (const { id, location } of samples) {
    if (ids.has(id)) throw invalid(location, `the id "${id}" is also on another line.`);
    ids.add(id);
  }
  return samples;
};

type Form = keyof typeof sampleForms;

const readLine = (line: string, location: string): Sample => {
  const value = parseJson(line, location);
  const forms = (Object.keys(sampleForms) as Form[]).filter(
    (name) => typeof value === 'object' && value !== null && name in value,
  );
  const [form] = forms;
  if (!form || forms.length > 1)
    throw invalid(location, `it needs one of ${Object.keys(sampleForms).join(', ')}, and has ${forms.join(', ') || 'none'}.`);
  const read = sampleForms[form].safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(location, `${issue?.path.join('.') || 'the line'}: ${issue?.message}`);
  }
  const { id = location, label, ...judged } = read.data;
  if ('payload' in judged) checkPayload(judged.payload, location);
  return { id, label, judged, location };
};

const parseJson = (line: string, location: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw invalid(location, 'it is no JSON.');
  }
};

const checkPayload = (payload: object, location: string): void => {
  try {
    openPayload(structuredClone(payload));
  } catch (error) {
    throw invalid(location, error instanceof Error ? error.message : String(error));
  }
};

const invalid = (path: string, detail: string): InterlockError => new InterlockError('eval/invalid-data', { path, detail });
