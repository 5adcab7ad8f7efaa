/** JSON Schema, as far as a form uses it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** Only code can set it. */
  readonly readOnly?: boolean;
}

/** A payload: fields by name, known ones and others. */
export type Payload = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
