import { evaluate, parseBound, parseSamples, type Bound } from '../../src/eval/index.js';
import { redactor } from '../../workflows/guards/index.js';
import { combineFinders } from '../../workflows/patterns/combine-finders.js';
import { findersOf, type ValueKind, type ValueKindOptions } from '../../workflows/patterns/value-kinds.js';
import type { MarkedSentence } from './data-sets.js';
import type { Judged } from './judged.js';

interface PiiRow {
  readonly name: string;
  readonly kind: ValueKind;
  /** The data set's name for the kind. */
  readonly marked: string;
  readonly options?: ValueKindOptions;
  /** The minimum recall. The page explains low ones. */
  readonly recall: number;
}

const rows: readonly PiiRow[] = [
  { name: 'email', kind: 'email', marked: 'EMAIL_ADDRESS', recall: 0.98 },
  { name: 'iban', kind: 'iban', marked: 'IBAN_CODE', recall: 0.98 },
  { name: 'ssn', kind: 'ssn', marked: 'US_SSN', recall: 0.98 },
  { name: 'ip', kind: 'ip', marked: 'IP_ADDRESS', recall: 0.98 },
  { name: 'card', kind: 'card', marked: 'CREDIT_CARD', recall: 0.8 },
  { name: 'phone', kind: 'phone', marked: 'PHONE_NUMBER', recall: 0.05 },
  { name: 'phone, of the US too', kind: 'phone', marked: 'PHONE_NUMBER', options: { defaultCountry: 'US' }, recall: 0.15 },
];

/** The redactor's results for one kind of value. */
export interface PiiResult extends Judged {
  /** Values that the data set marks, and the completely redacted ones among them. */
  readonly values: number;
  readonly whole: number;
}

/** Redacts marked sentences, one kind of value at a time. */
export const judgePii = async (sentences: readonly MarkedSentence[]): Promise<PiiResult[]> => {
  const results: PiiResult[] = [];
  for (const row of rows) results.push(await judgeKind(row, sentences));
  return results;
};

const judgeKind = async (row: PiiRow, sentences: readonly MarkedSentence[]): Promise<PiiResult> => {
  const { name, kind, marked, options, recall } = row;
  const lines = sentences.map(({ full_text: text, spans }) =>
    JSON.stringify({ text, label: spans.some((span) => span.entity_type === marked) }),
  );
  const guard = redactor({ strategy: 'replace', kinds: [kind], ...options });
  const { together } = await evaluate({ inputProcessors: [guard] }, parseSamples(lines.join('\n'), marked), { countEdits: true });
  const bounds: Bound[] = [parseBound('min', `recall=${recall}`), parseBound('min', 'precision=0.9')];
  return { name, measures: together, bounds, ...countValues(row, sentences) };
};

const countValues = (
  { kind, marked, options }: PiiRow,
  sentences: readonly MarkedSentence[],
): Pick<PiiResult, 'values' | 'whole'> => {
  let [values, whole] = [0, 0];
  for (const { full_text: text, spans } of sentences) {
    const found = combineFinders(findersOf([kind], options)).find(text, 0);
    const own = spans.filter((span) => span.entity_type === marked);
    values += own.length;
    whole += own.filter((one) => found.some(({ start, end }) => start <= one.start_position && end >= one.end_position)).length;
  }
  return { values, whole };
};
