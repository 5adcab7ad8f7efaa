import { ListPlus, X } from 'lucide-react';
import { Button } from '../../../components/button.js';
import { isRecord } from '../json-schema.js';
import { newRow, readRow, writeRow } from '../message-row.js';
import { tied, type FieldProps, JsonInput, useDraftErrors } from './inputs.js';

const now = (): string => new Date().toISOString();

/** Messages as rows of role and text; one that is more than one text as JSON. */
export const MessagesInput = (props: FieldProps) => {
  const { field, value, onChange, onDraftError } = props;
  const report = useDraftErrors(onDraftError);
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  const items = field.schema.items ?? {};
  const roles = (items.properties?.['role']?.enum ?? []).map(String);
  const replace = (index: number, message: unknown): void => onChange(list.toSpliced(index, 1, message));
  const remove = (index: number): void => {
    const rest = list.toSpliced(index, 1);
    report(String(index), undefined);
    onChange(rest.length === 0 && !field.isRequired ? undefined : rest);
  };
  const add = (): void => {
    const row = { role: roles[0] ?? 'user', text: '' };
    onChange([...list, newRow(items, row, { number: list.length + 1, now: now() })]);
  };
  return (
    <div className="stack-s">
      {list.map((message, index) => (
        <MessageRowInput
          // oxlint-disable-next-line react/no-array-index-key -- a message may have no id, or one that is being edited
          key={index}
          field={{ ...props, onDraftError: (error) => report(String(index), error) }}
          message={message}
          roles={roles}
          index={index}
          onChange={(next) => replace(index, next)}
          onRemove={() => remove(index)}
        />
      ))}
      <div>
        <Button icon={ListPlus} onClick={add}>
          Add message
        </Button>
      </div>
    </div>
  );
};

interface RowProps {
  readonly field: FieldProps;
  readonly message: unknown;
  readonly roles: readonly string[];
  readonly index: number;
  readonly onChange: (message: unknown) => void;
  readonly onRemove: () => void;
}

const MessageRowInput = ({ field, message, roles, index, onChange, onRemove }: RowProps) => {
  const row = readRow(message);
  const ties = index === 0 ? tied(field) : {};
  const number = index + 1;
  return (
    <div className="message-row">
      {row && isRecord(message) ? (
        <>
          <select
            className="input"
            aria-label={`Role of message ${number}`}
            value={row.role}
            onChange={(event) => onChange(writeRow(message, { ...row, role: event.target.value }))}
          >
            {[...new Set([row.role, ...roles])].map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
          <textarea
            {...ties}
            className="input"
            aria-label={`Text of message ${number}`}
            rows={Math.min(8, Math.max(2, Math.ceil(row.text.length / 56)))}
            value={row.text}
            onChange={(event) => onChange(writeRow(message, { ...row, text: event.target.value }))}
          />
        </>
      ) : (
        <JsonInput {...field} field={{ ...field.field, schema: {} }} value={message} onChange={onChange} />
      )}
      <Button icon={X} look="quiet" aria-label={`Remove message ${number}`} onClick={onRemove} />
    </div>
  );
};
