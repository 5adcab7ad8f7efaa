import type { ReactNode } from 'react';
import './fields.css';

interface FormProps {
  readonly className: string;
  readonly onSubmit: () => unknown;
  readonly children: ReactNode;
}

/** A form that the page handles. */
export const Form = ({ className, onSubmit, children }: FormProps) => (
  <form
    className={className}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);

interface FieldProps {
  readonly title: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A control below its title. */
export const Field = ({ title, className = 'field', children }: FieldProps) => (
  <label className={className}>
    <span className="field-title">{title}</span>
    {children}
  </label>
);

export type Option = readonly [value: string, title: string];

interface SelectProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  /** Options, or groups of them by title. */
  readonly options: readonly (Option | { readonly group: string; readonly options: readonly Option[] })[];
  readonly onChange: (value: string) => void;
}

const optionOf = ([value, title]: Option) => (
  <option key={value} value={value}>
    {title}
  </option>
);

/** A choice among named values. Empty groups are left out. */
export const Select = ({ value, options, onChange, ...field }: SelectProps) => (
  <Field {...field}>
    <select className="input" value={value} onChange={({ target }) => onChange(target.value)}>
      {options.map((one) =>
        !('group' in one)
          ? optionOf(one)
          : one.options.length > 0 && (
              <optgroup key={one.group} label={one.group}>
                {one.options.map(optionOf)}
              </optgroup>
            ),
      )}
    </select>
  </Field>
);

interface NumberFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: number;
  readonly min?: number;
  readonly onChange: (value: number) => void;
}

/** A whole number of at least `min`. */
export const NumberField = ({ value, min = 0, onChange, ...field }: NumberFieldProps) => (
  <Field {...field}>
    <input
      className="input"
      type="number"
      min={min}
      value={value}
      onChange={({ target }) => onChange(Math.max(min, Math.trunc(Number(target.value))))}
    />
  </Field>
);

interface RadiosProps {
  readonly title: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

/** A choice of which each option is in view. */
export const Radios = ({ title, value, options, onChange }: RadiosProps) => (
  <fieldset className="cluster small choices">
    <legend className="field-title">{title}</legend>
    {options.map(([id, name]) => (
      <label key={id}>
        <input type="radio" name={title} checked={value === id} onChange={() => onChange(id)} />
        {name}
      </label>
    ))}
  </fieldset>
);
