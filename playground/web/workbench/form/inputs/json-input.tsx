import { useState } from 'react';
import { readJson, writeJson } from '../edit-payload.js';
import type { JsonSchema } from '../json-schema.js';
import { tied, type FieldProps } from './field-props.js';

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
