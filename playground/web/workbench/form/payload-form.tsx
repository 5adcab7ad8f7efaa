import { useId, useState, type ComponentType, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { setField } from './edit-payload.js';
import { exampleOf } from './example-of.js';
import { formFieldsOf, type FieldKind, type FormField } from './form-fields.js';
import { type FieldProps, JsonInput, ChoiceInput, NumberInput, TextInput, TextsInput, useDraftErrors } from './inputs/inputs.js';
import { MessagesInput } from './inputs/messages-input.js';
import { isRecord, type Payload } from './json-schema.js';
import './payload-form.css';

/** The errors of fields, by name. */
export type FieldErrors = Readonly<Partial<Record<string, string>>>;

/** The props of all components that edit a payload. */
export interface FillProps {
  readonly payload: Payload;
  readonly errors: FieldErrors;
  readonly onChange: (payload: Payload) => void;
  /** A control contains invalid content. */
  readonly onDraftError: (name: string, message: string | undefined) => void;
}

interface PayloadFormProps extends FillProps {
  /** Shows each field from the start. */
  readonly isOpen?: boolean;
  readonly fields: readonly FormField[];
}

/**
 * A form made from a schema. It shows first the fields that are required or were set initially, the rest on a click, and keeps
 * unknown fields. Give it a `key`, so that another payload opens another form.
 */
export const PayloadForm = ({ fields, isOpen = false, payload, errors, onChange, onDraftError }: PayloadFormProps) => {
  const [isSet] = useState(() => new Set(Object.keys(payload))); // a field keeps its place during typing
  const isFirst = ({ name, isRequired }: FormField): boolean => isOpen || isRequired || isSet.has(name);
  const editable = fields.filter(({ kind }) => kind !== 'fixed');
  const more = editable.filter((field) => !isFirst(field));
  const draw = (field: FormField): ReactNode => (
    <PayloadField
      key={field.name}
      field={field}
      value={payload[field.name]}
      error={errors[field.name]}
      onChange={(value) => onChange(setField(payload, field.name, value))}
      onDraftError={(message) => onDraftError(field.name, message)}
    />
  );
  return (
    <div className="stack payload-form">
      {editable.filter(isFirst).map(draw)}
      {more.length > 0 && (
        <details className="more-fields" open={more.some(({ name }) => errors[name] !== undefined) || undefined}>
          <summary>{more.length} more fields</summary>
          <div className="stack payload-form">{more.map(draw)}</div>
        </details>
      )}
    </div>
  );
};

/** The whole payload as JSON, also its fields that no form has. */
export const PayloadText = ({ payload, errors, onChange, onDraftError }: FillProps) => {
  const { name } = wholePayload;
  const change = (value: unknown): void =>
    isRecord(value) ? onChange(value) : onDraftError(name, 'The payload must be an object: { … }.');
  return (
    <PayloadField
      field={wholePayload}
      value={payload}
      error={errors[name]}
      onChange={change}
      onDraftError={(message) => onDraftError(name, message)}
    />
  );
};

const wholePayload: FormField = {
  name: 'payload',
  title: 'Payload',
  description: 'All fields, including unknown ones.',
  kind: 'json',
  isRequired: false,
  schema: {},
};

interface PayloadFieldProps extends Pick<FieldProps, 'field' | 'value' | 'onChange' | 'onDraftError'> {
  readonly error: string | undefined;
}

/** A field with its title, its description and its control. */
const PayloadField = ({ field, value, error, onChange, onDraftError }: PayloadFieldProps) => {
  const id = useId();
  const describedBy = `${id}-words`;
  const Input = inputs[field.kind];
  const isCompound = field.kind === 'spoken' || field.kind === 'group';
  return (
    <div
      className={`field ${error === undefined ? '' : 'field-wrong'}`}
      {...(isCompound && { role: 'group', 'aria-labelledby': `${id}-title` })}
    >
      <label className="field-title" id={`${id}-title`} htmlFor={id}>
        {field.title}
        {field.isRequired && <span className="faint tiny field-required">required</span>}
      </label>
      <p className="field-words soft tiny" id={describedBy}>
        {field.description}
        {error !== undefined && (
          <span className="field-error" role="alert">
            {error}
          </span>
        )}
      </p>
      <Input
        field={field}
        id={id}
        value={value}
        describedBy={describedBy}
        isInvalid={error !== undefined}
        onChange={onChange}
        onDraftError={onDraftError}
      />
    </div>
  );
};

/** Fields of a field. */
const GroupInput = ({ field, value, onChange, onDraftError }: FieldProps) => {
  const report = useDraftErrors(onDraftError);
  if (!isRecord(value)) {
    const begin = (): void => onChange(exampleOf(field.schema, new Date().toISOString()));
    return <Button onClick={begin}>Add {field.title.toLowerCase()}</Button>;
  }
  return (
    <div className="stack field-group">
      {formFieldsOf(field.schema).map((inner) => (
        <PayloadField
          key={inner.name}
          field={inner}
          value={value[inner.name]}
          error={undefined}
          onChange={(next) => onChange(setField(value, inner.name, next))}
          onDraftError={(message) => report(inner.name, message)}
        />
      ))}
      {!field.isRequired && (
        <Button look="quiet" onClick={() => onChange(undefined)}>
          Remove {field.title.toLowerCase()}
        </Button>
      )}
    </div>
  );
};

const inputs: Readonly<Record<FieldKind, ComponentType<FieldProps>>> = {
  fixed: TextInput,
  text: TextInput,
  number: NumberInput,
  choice: ChoiceInput,
  texts: TextsInput,
  spoken: MessagesInput,
  group: GroupInput,
  json: JsonInput,
};
