import { InertText } from './inert-text.js';
import './fact-list.css';

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? ''));

const isShort = (text: string): boolean => text.length < 80;

/** A readable value of any type. */
export const Value = ({ value }: { readonly value: unknown }) => {
  const text = asText(value);
  const shown = isShort(text) ? text.replaceAll(/\s*\n\s*/g, ' ') : text;
  if (typeof value === 'string') return <InertText text={shown} />;
  return isShort(text) ? (
    <code>
      <InertText text={shown} />
    </code>
  ) : (
    <pre className="json">
      <InertText text={shown} />
    </pre>
  );
};

/** Names with their values; `undefined` values are left out. */
export const FactList = ({ facts }: { readonly facts: Readonly<Record<string, unknown>> }) => {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  if (known.length === 0) return null;
  return (
    <dl className="facts">
      {known.map(([name, value]) => [
        <dt key={`${name} name`}>{name}</dt>,
        <dd key={name}>
          <Value value={value} />
        </dd>,
      ])}
    </dl>
  );
};
