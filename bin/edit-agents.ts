import { lineAt, literalAt, maskedOf, topLevelOf } from './source-text.js';

/** One kind of agent that `init` guards. */
interface AgentKind {
  /** The class, and the modules that an application imports it from. */
  readonly name: string;
  readonly from: readonly string[];
  /** The replacement: the same name, or a function. */
  readonly by: { readonly name: string; readonly from: string; readonly isFunction: boolean };
  /** The options for guards, and the proposed guards. */
  readonly guards: Readonly<Record<string, readonly string[]>>;
}

const input = 'promptInjectionGuard()';
const output = "redactor({ strategy: 'replace' })";

const kinds: readonly AgentKind[] = [
  {
    name: 'Agent',
    from: ['@mastra/core/agent', '@mastra/core'],
    by: { name: 'Agent', from: 'mastra-interlock', isFunction: false },
    guards: { inputProcessors: [input], outputProcessors: [output] },
  },
  {
    name: 'ToolLoopAgent',
    from: ['ai'],
    by: { name: 'guardedToolLoop', from: 'mastra-interlock/ai-sdk', isFunction: true },
    guards: { guards: [input, output] },
  },
];

/**
 * A file with its agents guarded, or the same text if it creates none.
 *
 * @param edit `proposes`: whether agents without guards get some. `restores`: whether tools of the application act on personal
 *   values: they must get the values, and the model placeholders.
 */
export const editAgents = (source: string, { proposes = true, restores = false } = {}): string => {
  const edited = kinds.reduce((text, kind) => editKind(text, kind, { proposes, restores }), source);
  return edited.includes('privacy]') && !/\bprivacy\s*=/.test(edited) ? withPrivacy(edited) : edited;
};

/** The object that hides and restores values must be the same in both arrays. */
const withPrivacy = (source: string): string => {
  const last = Array.from(source.matchAll(/^import\b[^'"]*['"][^'"]+['"];?$/gm)).at(-1);
  const at = (last?.index ?? 0) + (last?.[0].length ?? 0);
  const end = last?.[0].endsWith(';') ? ';' : '';
  return `${source.slice(0, at)}\n\nconst privacy = redactor({ strategy: 'restore' })${end}${source.slice(at)}`;
};

/** The agents of a file that `init` leaves without some of the guards, each with its line and the reason. */
export const agentsLeft = (source: string, restores = false): { readonly line: number; readonly reason: string }[] => {
  const created = maskedOf(source);
  return kinds.flatMap((kind) => {
    const found = importOf(source, kind);
    if (!found) return [];
    return callsOf(created, found.local).flatMap(({ index, 0: call }) => {
      const missing = missingAt(created, index + call.length, kind);
      const present = Object.keys(kind.guards).filter((option) => missing?.every(([name]) => name !== option));
      const proposed = new Set(proposalFor(kind, missing ?? [], restores).flatMap(([, guards]) => guards));
      const lacking = Object.values(kind.guards)
        .flat()
        .filter((guard) => !proposed.has(restores && guard === output ? 'privacy' : guard))
        .filter((guard) => !source.includes(functionOf(guard)) && !source.includes('defaultGuards'))
        .map((guard) => (restores && guard === output ? "redactor({ strategy: 'restore' })" : guard));
      if (lacking.length === 0) return [];
      const why = missing ? `it has its own ${present.join(' and ')}` : 'its settings are not written here';
      return [{ line: lineAt(source, index), reason: `${why}; it may lack ${lacking.join(' and ')}` }];
    });
  });
};

const callsOf = (masked: string, local: string) =>
  Array.from(masked.matchAll(new RegExp(String.raw`\bnew\s+${local.replaceAll('$', String.raw`\$`)}\s*(?:<[^>(]*>\s*)?\(`, 'g')));

const editKind = (source: string, kind: AgentKind, { proposes, restores }: { proposes: boolean; restores: boolean }): string => {
  const found = importOf(source, kind);
  if (!found) return source;
  const { local } = found;
  const created = maskedOf(source);
  const calls = callsOf(created, local);
  if (calls.length === 0) return source;
  const added = new Set<string>();
  const edits: Edit[] = [];
  let replaced = 0;
  for (const { index, 0: call } of calls) {
    const at = index + call.length;
    const missing = missingAt(created, at, kind);
    const proposed = proposes ? proposalFor(kind, missing ?? [], restores) : [];
    for (const guard of proposed.flatMap(([, guards]) => guards)) added.add(guard);
    if (proposed.length > 0) edits.push(proposalAt(source, literalAt(created, at) + 1, proposed));
    else if (kind.by.isFunction && missing?.length !== 0) continue; // without guards the function adds nothing
    replaced += 1;
    if (kind.by.isFunction) edits.push({ from: index, to: at, text: `${kind.by.name}(` });
  }
  if (replaced === 0) return source;
  const imports = [
    { name: importedAs(kind.by, local), from: kind.by.from },
    ...[...added].map((guard) => ({ name: functionOf(guard), from: 'mastra-interlock/guards' })),
  ];
  const isUsed = kind.by.isFunction && mentions(created, local) > replaced + 1; // possibly as a type
  edits.push(importEdit(found, { imports, keeps: isUsed }));
  return apply(source, edits);
};

const importedAs = ({ name, isFunction }: AgentKind['by'], local: string): string =>
  isFunction || local === name ? name : `${name} as ${local}`;

/** The function that creates a proposed guard. */
const functionOf = (guard: string): string => (guard === 'privacy' ? 'redactor' : guard.slice(0, guard.indexOf('(')));

type Missing = readonly (readonly [string, readonly string[]])[];

/** The guards to add. An object that hides values in prompts and restores them for tools must be in every array. */
const proposalFor = ({ guards: all }: AgentKind, missing: Missing, restores: boolean): Missing => {
  if (!restores) return missing;
  const privacy = missing.length === Object.keys(all).length ? ['privacy'] : [];
  return missing.flatMap(([option, guards]) => {
    const proposed = [...guards.filter((guard) => guard !== output), ...privacy];
    return proposed.length > 0 ? [[option, proposed] as const] : [];
  });
};

const mentions = (text: string, name: string): number =>
  Array.from(text.matchAll(new RegExp(String.raw`\b${name.replaceAll('$', String.raw`\$`)}\b`, 'g'))).length;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const apply = (source: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((text, { from, to, text: by }) => `${text.slice(0, from)}${by}${text.slice(to)}`, source);

/** An import of the class as a value. */
const importOf = (source: string, { name, from }: AgentKind) => {
  for (const { index, 0: text, 1: names = '', 2: module = '' } of source.matchAll(
    /^import\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"];?/gm,
  )) {
    if (!from.includes(module)) continue;
    const all = names.split(',').flatMap((one) => one.trim() || []);
    const own = all.find((one) => one === name || one.startsWith(`${name} as `));
    if (own === undefined) continue;
    const local = own.split(' as ')[1]?.trim() ?? name;
    return {
      statement: { from: index, to: index + text.length, text },
      module,
      /** The other imported names. */
      others: all.filter((one) => one !== own),
      own,
      local,
    };
  }
  return undefined;
};

const importEdit = (
  { statement, module, others, own }: NonNullable<ReturnType<typeof importOf>>,
  { imports, keeps }: { imports: readonly { name: string; from: string }[]; keeps: boolean },
): Edit => {
  const remaining = keeps ? [...others, own] : others;
  const byModule = Map.groupBy(imports, ({ from }) => from);
  const quote = statement.text.includes('"') ? '"' : "'";
  const end = statement.text.endsWith(';') ? ';' : '';
  const lines = [
    ...(remaining.length > 0 ? [[remaining, module] as const] : []),
    ...Array.from(byModule, ([from, names]) => [names.map(({ name }) => name).toSorted(), from] as const),
  ].map(([names, from]) => `import { ${names.join(', ')} } from ${quote}${from}${quote}${end}`);
  return { ...statement, text: lines.join('\n') };
};

/** The options for guards that an agent's literal does not have. Undefined if its settings are no literal, or spread others. */
const missingAt = (masked: string, at: number, { guards }: AgentKind): Missing | undefined => {
  const open = literalAt(masked, at);
  if (masked[open] !== '{') return undefined;
  const top = topLevelOf(masked, open);
  if (top.includes('...')) return undefined;
  return Object.entries(guards).filter(([option]) => !new RegExp(String.raw`\b${option}\b`).test(top));
};

/** Adds guards at the start of an agent's literal. */
const proposalAt = (source: string, at: number, missing: Missing): Edit => {
  const lines = missing.map(([option, guards]) => `${option}: [${guards.join(', ')}],`);
  const indent = /^\r?\n([ \t]+)/.exec(source.slice(at))?.[1];
  const text = indent === undefined ? ` ${lines.join(' ')}` : lines.map((line) => `\n${indent}${line}`).join('');
  return { from: at, to: at, text };
};
