import type { FormField } from '../form-fields.js';

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
