import { InertText } from './inert-text.js';
import './fact-list.css';

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? ''));

const isShort = (text: string): boolean => text.length < 80;

/** A long text that scrolls, also with the keyboard. */
export const Scrolled = ({ label, text }: { readonly label: string; readonly text: string }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
  <pre className="json" role="region" aria-label={label} tabIndex={0}>
    <InertText text={text} />
  </pre>
);

/** A readable value of any type. */
export const Value = ({ value }: { readonly value: unknown }) => {
  const text = asText(value);
  const label = isShort(text) ? text.replaceAll(/\s*\n\s*/g, ' ') : text;
  if (typeof value === 'string') return <InertText text={label} />;
  return isShort(text) ? (
    <code>
      <InertText text={label} />
    </code>
  ) : (
    <Scrolled label="JSON" text={label} />
  );
};

/** Names with their values; `undefined` values are left out. */
export const FactList = ({ facts }: { readonly facts: Readonly<Record<string, unknown>> }) => {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  if (known.length === 0) return null;
  return (
    <dl className="small facts">
      {known.map(([name, value]) => [
        <dt key={`${name} name`}>{name}</dt>,
        <dd key={name}>
          <Value value={value} />
        </dd>,
      ])}
    </dl>
  );
};
