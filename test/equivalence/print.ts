import type { Act, Rule, Spec, Stale, When } from './spec.js';

/** A drawn pipeline as readable code, in the names of the builder. */
export const print = (spec: Spec): string => {
  switch (spec.kind) {
    case 'guard':
      return `${spec.id}(${[printAct(spec.act), ...(spec.delay === undefined ? [] : [`after ${spec.delay}`])].join(', ')})`;
    case 'function':
      return `function ${spec.id}(${spec.sets ? 'retryCount' : ''})`;
    case 'map':
      return `map(${spec.pick})`;
    case 'sequence':
      return [`pipeline('${spec.id}')`, ...spec.nodes.map((node) => indented(printCall(node)))].join('\n');
    case 'parallel':
    case 'branch':
      return printCall(spec); // a separate statement in another block
    default:
      return spec satisfies never;
  }
};

const printCall = (spec: Spec): string => {
  switch (spec.kind) {
    case 'guard':
    case 'function':
    case 'sequence':
      return `.then(${lines([print(spec)])})`;
    case 'map':
      return `.${print(spec)}`;
    case 'parallel':
      return `.parallel([${lines(spec.nodes.map(print))}]${options(spec)})`;
    case 'branch':
      return `.branch([${lines(spec.arms.map(({ when, node }) => `[${printWhen(when)}, ${print(node)}]`))}]${options(spec)})`;
    default:
      return spec satisfies never;
  }
};

const lines = (all: readonly string[]): string =>
  all.length === 1 && !all[0]?.includes('\n') ? (all[0] ?? '') : `\n${all.map((one) => `${indented(one)},`).join('\n')}\n`;

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

const options = ({ rule, stale }: { rule: Rule; stale: Stale }): string => {
  const named = [
    ...(rule === 'widest-redaction' ? [] : [`overlap: ${rule === 'longest' ? 'longest' : `'${rule}'`}`]),
    ...(stale === 'report' ? [] : [`staleVerdicts: '${stale}'`]),
  ];
  return named.length > 0 ? `, { ${named.join(', ')} }` : '';
};

const printAct = (act: Act): string => {
  const place = 'inPlace' in act && act.inPlace ? ' in place' : '';
  switch (act.kind) {
    case 'redact':
    case 'append':
      return `${act.kind} w${act.word}${place}`;
    case 'remove':
      return `remove ${act.at}${place}`;
    case 'add':
      return `add${place}`;
    case 'set':
      return `set ${act.value}`;
    case 'pass':
    case 'trip':
    case 'retry':
    case 'throw':
    case 'absent':
      return act.kind;
    default:
      return act satisfies never;
  }
};

const printWhen = (when: When): string => ('word' in when ? `${when.kind} w${when.word}` : when.kind);
