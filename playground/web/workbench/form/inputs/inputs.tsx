import { type FormField, choicesOf } from '../form-fields.js';
import { useState, useCallback, useRef } from 'react';
import { readJson, writeJson } from '../edit-payload.js';
import type { JsonSchema } from '../json-schema.js';

/** The common props of all inputs. */
export interface FieldProps {
  readonly field: FormField;
  /** The id of the control for the field's label. */
  readonly id: string;
  readonly value: unknown;
  /** The id of its description and error. */
  readonly describedBy: string;
  readonly isInvalid: boolean;
  /** A new value; undefined removes the field. */
  readonly onChange: (value: unknown) => void;
  /** The error of the control's content, which is then no value; undefined once it is valid again. */
  readonly onDraftError: (message: string | undefined) => void;
}

/** The attributes that connect a control with its description. */
export const tied = ({ id, describedBy, isInvalid }: FieldProps) => ({
  id,
  'aria-describedby': describedBy,
  'aria-invalid': isInvalid || undefined,
});

export const TextInput = (props: FieldProps) => {
  const { field, value, onChange } = props;
  const text = typeof value === 'string' ? value : '';
  const change = (next: string): void => onChange(next === '' && !field.isRequired ? undefined : next);
  return <textarea {...tied(props)} className="input" rows={1} value={text} onChange={(event) => change(event.target.value)} />;
};

export const NumberInput = (props: FieldProps) => {
  const { value, onChange } = props;
  const change = (text: string): void => onChange(text === '' ? undefined : Number(text));
  return (
    <input
      {...tied(props)}
      className="input input-number"
      type="number"
      step="any"
      value={typeof value === 'number' ? value : ''}
      onChange={(event) => change(event.target.value)}
    />
  );
};

/** A choice among fixed values of any type. */
export const ChoiceInput = (props: FieldProps) => {
  const values = choicesOf(props.field.schema);
  const index = values.indexOf(props.value);
  return (
    <select
      {...tied(props)}
      className="input"
      value={index}
      onChange={(event) => props.onChange(values[Number(event.target.value)])}
    >
      {(!props.field.isRequired || index === -1) && <option value={-1}>—</option>}
      {values.map((value, at) => (
        <option key={String(value)} value={at}>
          {value === true ? 'yes' : value === false ? 'no' : String(value)}
        </option>
      ))}
    </select>
  );
};

/** Several texts, one per line. */
export const TextsInput = (props: FieldProps) => {
  const { value, onChange } = props;
  const lines = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    <textarea
      {...tied(props)}
      className="input"
      rows={Math.min(6, Math.max(2, lines.length + 1))}
      placeholder="one per line"
      value={lines.map(String).join('\n')}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value.split('\n'))}
    />
  );
};

/** Whether a schema accepts a text, so that a word needs no quotes. */
const takesText = ({ type = [], enum: choices = [], anyOf = [] }: JsonSchema): boolean =>
  [type].flat().includes('string') || choices.some((one) => typeof one === 'string') || anyOf.some(takesText);

/** Any value, as JSON. Invalid JSON stays in the control, with its error. */
export const JsonInput = (props: FieldProps) => {
  const { field, value, onChange, onDraftError } = props;
  const written = writeJson(value);
  const [{ draft, means }, setDraft] = useState({ draft: written, means: written });
  // The value was changed from outside, e.g. by another control.
  if (written !== means) setDraft({ draft: written, means: written });
  const change = (text: string): void => {
    const read = readJson(text, takesText(field.schema));
    onDraftError('error' in read ? read.error : undefined);
    setDraft({ draft: text, means: 'value' in read ? writeJson(read.value) : means });
    if ('value' in read) onChange(read.value);
  };
  const rows = Math.min(14, Math.max(1, draft.split('\n').length));
  return (
    <textarea
      {...tied(props)}
      className="input input-code"
      rows={rows}
      spellCheck={false}
      placeholder="JSON"
      value={draft}
      onChange={(event) => change(event.target.value)}
    />
  );
};

/** Reports the first error in a field with several controls; `name` identifies the control. */
export const useDraftErrors = (
  report: (message: string | undefined) => void,
): ((name: string, message: string | undefined) => void) => {
  const errors = useRef(new Map<string, string>());
  return useCallback(
    (name, message) => {
      if (message === undefined) errors.current.delete(name);
      else errors.current.set(name, message);
      const [first] = errors.current.values();
      report(first);
    },
    [report],
  );
};
