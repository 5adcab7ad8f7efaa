import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { parseSync, type Comment, type ParseResult } from 'oxc-parser';

import { inRoot } from './examples.js';

type Statement = ParseResult['program']['body'][number];
type Declaration = Statement & { readonly start: number; readonly end: number };

/** A member of an exported interface or type. */
export interface Member {
  /** Its declaration, e.g. `deadlineMs?: number`. */
  readonly declared: string;
  readonly about: string;
}

/** A public name, with its source's documentation. */
export interface PublicName {
  readonly name: string;
  readonly kind: 'function' | 'value' | 'class' | 'type';
  /** The first paragraph of its TSDoc, on one line; empty if it has none. */
  readonly about: string;
  readonly members: readonly Member[];
  /** The source file, from the root. */
  readonly path: string;
}

interface Source {
  readonly text: string;
  readonly body: readonly Statement[];
  readonly comments: readonly Comment[];
}

const parsed = new Map<string, Source>();

const sourceAt = (path: string): Source => {
  const known = parsed.get(path);
  if (known) return known;
  const text = readFileSync(inRoot(path), 'utf8');
  const { program, comments } = parseSync(path, text);
  const source = { text, body: program.body, comments };
  parsed.set(path, source);
  return source;
};

/** The first paragraph of the TSDoc that ends right before a place. */
const aboutAt = ({ text, comments }: Source, start: number): string => {
  const comment = comments.find(({ type, end }) => type === 'Block' && end <= start && text.slice(end, start).trim() === '');
  if (!comment?.value.startsWith('*')) return '';
  const plain = comment.value
    .slice(1)
    .replaceAll(/^\s*\* ?/gm, '')
    .trim();
  const [paragraph = ''] = plain.split(/\n\s*\n|^@/m);
  return paragraph
    .replaceAll(/\{@link ([\w.]+)\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim();
};

const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replace(/[;,]$/, '')
    .replace(/^readonly /, '')
    .trim();

interface Typed {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The members of an interface or of a type that is an object, each with its TSDoc. */
const membersOf = (source: Source, declaration: unknown): Member[] => {
  const { body, typeAnnotation } = declaration as { body?: { body?: unknown }; typeAnnotation?: { members?: unknown } };
  const list = body?.body ?? typeAnnotation?.members;
  if (!Array.isArray(list)) return [];
  return (list as Typed[])
    .filter(({ type }) => type === 'TSPropertySignature' || type === 'TSMethodSignature')
    .map(({ start, end }) => ({ declared: oneLine(source.text.slice(start, end)), about: aboutAt(source, start) }));
};

interface Wrapped {
  readonly type: string;
  readonly expression: Wrapped;
  readonly properties: readonly (Typed & { readonly key: { readonly type: string; readonly name?: string } })[];
}

/** The TSDoc of each property of an exported object. */
export const propertyComments = (path: string, name: string): Readonly<Record<string, string>> => {
  const source = sourceAt(path);
  for (const statement of source.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined;
    if (declaration?.type !== 'VariableDeclaration') continue;
    const variable = declaration.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
    let value = variable?.init as Wrapped | null | undefined;
    while (value && value.type !== 'ObjectExpression') value = value.expression; // `as const`, `satisfies`
    if (value) return Object.fromEntries(value.properties.map(({ key, start }) => [nameOf(key), aboutAt(source, start)]));
  }
  throw new Error(`${path} has no object ${name}.`);
};

const isFunction = (init: { readonly type: string } | null | undefined): boolean =>
  init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression';

/** The declaration of a name in a file, searched through re-exports and imports as well. */
const find = (path: string, name: string): Omit<PublicName, 'name'> => {
  const source = sourceAt(path);
  for (const statement of source.body) {
    const elsewhere = reexported(statement, name);
    if (elsewhere) return find(resolve(path, elsewhere.from), elsewhere.name);
    const declaration = (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement) as Declaration | null;
    const found = declaration && kindOf(declaration, name);
    if (!found) continue;
    const members = found === 'type' ? membersOf(source, declaration) : [];
    return { kind: found, about: aboutAt(source, statement.start), members, path };
  }
  throw new Error(`${path} exports ${name}, and declares it nowhere.`);
};

const kindOf = (declaration: Declaration, name: string): PublicName['kind'] | undefined => {
  const named = (declaration as unknown as { id?: { name?: string } | null }).id?.name === name;
  if (declaration.type === 'VariableDeclaration') {
    const variable = declaration.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
    return variable && (isFunction(variable.init) ? 'function' : 'value');
  }
  if (!named) return undefined;
  if (declaration.type === 'FunctionDeclaration' || declaration.type === 'TSDeclareFunction') return 'function';
  if (declaration.type === 'ClassDeclaration') return 'class';
  return declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'TSTypeAliasDeclaration' ? 'type' : undefined;
};

const reexported = (statement: Statement, name: string): { from: string; name: string } | undefined => {
  if (statement.type === 'ImportDeclaration') {
    const specifier = statement.specifiers.find(({ local }) => local.name === name);
    if (specifier?.type !== 'ImportSpecifier') return undefined;
    return { from: statement.source.value, name: nameOf(specifier.imported) };
  }
  if (statement.type !== 'ExportNamedDeclaration' || !statement.source) return undefined;
  const specifier = statement.specifiers.find(({ exported }) => nameOf(exported) === name);
  return specifier && { from: statement.source.value, name: nameOf(specifier.local) };
};

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  node.type === 'Literal' ? String(node.value) : (node.name ?? '');

const resolve = (path: string, specifier: string): string => posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');

/** Every name that an entry of the package exports, including types, in order. */
export const publicNames = (entry: string): PublicName[] =>
  sourceAt(entry)
    .body.flatMap((statement) => {
      if (statement.type === 'ExportAllDeclaration') return publicNames(resolve(entry, statement.source.value));
      if (statement.type !== 'ExportNamedDeclaration') return [];
      return statement.specifiers.map(({ exported }) => nameOf(exported)).map((name) => ({ name, ...find(entry, name) }));
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
