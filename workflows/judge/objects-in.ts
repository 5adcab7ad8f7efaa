import { attempted } from '../../src/phase/awaitable.js';

/** The JSON objects in a text, which may have other text around them. */
export function* objectsIn(text: string): Generator<Readonly<Record<string, unknown>>> {
  for (let at = text.indexOf('{'), tries = 0; at >= 0 && tries < maxObjects; tries += 1) {
    const end = endOfObject(text, at);
    const value = end === undefined ? undefined : parsed(text.slice(at, end));
    if (value) yield value;
    at = text.indexOf('{', value ? end : at + 1);
  }
}

/** More objects are no judgement. */
const maxObjects = 64;

const parsed = (json: string): Readonly<Record<string, unknown>> | undefined => {
  const read = (form: string) => attempted(() => JSON.parse(form) as Readonly<Record<string, unknown>>); // it starts with a brace
  return read(json) ?? read(repaired(json));
};

/** With line breaks in texts written as codes, and without commas before a closing bracket. */
const repaired = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gs, (part) =>
    part === ',' ? '' : part.replaceAll('\n', String.raw`\n`).replaceAll('\r', ''),
  );

const endOfObject = (text: string, start: number): number | undefined => {
  const signs = /"(?:[^"\\]|\\.)*"|[{}]/gs;
  signs.lastIndex = start;
  let depth = 0;
  for (let sign = signs.exec(text); sign; sign = signs.exec(text)) {
    if (sign[0] === '{') depth += 1;
    if (sign[0] === '}' && (depth -= 1) === 0) return signs.lastIndex;
  }
  return undefined;
};
