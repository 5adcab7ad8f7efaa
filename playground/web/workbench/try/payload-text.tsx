import { useId, useState } from 'react';
import { readPayload, writeJson } from '../form/edit-payload.js';
import type { FillProps } from '../form/payload-form.js';

/** The name for errors of the text. */
const textName = 'payload';

/** The whole payload as JSON. */
export const PayloadText = ({ payload, errors, onChange, onDraftError }: FillProps) => {
  const id = useId();
  const [draft, setDraft] = useState(() => writeJson(payload));
  const error = errors[textName];
  const change = (text: string): void => {
    setDraft(text);
    const read = readPayload(text);
    onDraftError(textName, 'error' in read ? read.error : undefined);
    if ('payload' in read) onChange(read.payload);
  };
  return (
    <div className={`field ${error === undefined ? '' : 'field-wrong'}`}>
      <label className="field-title" htmlFor={id}>
        Payload
      </label>
      <p className="field-words soft tiny" id={`${id}-words`}>
        All fields, including unknown ones.
        {error !== undefined && (
          <span className="field-error" role="alert">
            {error}
          </span>
        )}
      </p>
      <textarea
        id={id}
        className="input input-code payload-text"
        spellCheck={false}
        aria-describedby={`${id}-words`}
        aria-invalid={error !== undefined || undefined}
        value={draft}
        onChange={(event) => change(event.target.value)}
      />
    </div>
  );
};
