import type { FormField } from '../form-fields.js';

/** What every kind of input is given. */
export interface FieldProps {
  readonly field: FormField;
  /** The id of the control that the field's label names. */
  readonly id: string;
  readonly value: unknown;
  /** The id of the words that describe it and say what is wrong. */
  readonly describedBy: string;
  readonly isInvalid: boolean;
  /** A new value; undefined takes the field out. */
  readonly onChange: (value: unknown) => void;
  /** The error of the control's content, which is then no value; undefined once it is valid again. */
  readonly onDraftError: (message: string | undefined) => void;
}

/** The attributes that tie a control to its words. */
export const tied = ({ id, describedBy, isInvalid }: FieldProps) => ({
  id,
  'aria-describedby': describedBy,
  'aria-invalid': isInvalid || undefined,
});
