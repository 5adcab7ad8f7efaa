import { choicesOf } from '../form-fields.js';
import { tied, type FieldProps } from './field-props.js';

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
const ValueSelect = ({ values, ...props }: FieldProps & { readonly values: readonly { label: string; value: unknown }[] }) => (
  <select
    {...tied(props)}
    className="input"
    value={values.findIndex(({ value }) => value === props.value)}
    onChange={(event) => props.onChange(values[Number(event.target.value)]?.value)}
  >
    {(!props.field.isRequired || !values.some(({ value }) => value === props.value)) && <option value={-1}>—</option>}
    {values.map(({ label }, index) => (
      <option key={label} value={index}>
        {label}
      </option>
    ))}
  </select>
);

export const ChoiceInput = (props: FieldProps) => (
  <ValueSelect {...props} values={choicesOf(props.field.schema).map((value) => ({ label: String(value), value }))} />
);

export const YesNoInput = (props: FieldProps) => (
  <ValueSelect
    {...props}
    values={[
      { label: 'yes', value: true },
      { label: 'no', value: false },
    ]}
  />
);

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
