import { parseSync } from 'oxc-parser';
import type { Plugin } from 'rolldown';

/**
 * Marks all constants at the top of modules as free of side effects. `sideEffects: false` in package.json marks only
 * whole files: once modules share a file, an application that imports one guard would carry all of them. A called function computes the
 * value, because minifiers would move a call in place and lose its mark.
 */
export const markPure: Plugin = {
  name: 'mark-pure',
  resolveId: { filter: { id: /^interlock:computed$/ }, handler: (id) => ({ id: `\0${id}`, moduleSideEffects: false }) },
  load: { filter: { id: /^\0interlock:computed$/ }, handler: () => 'export const computed = (compute) => compute();' },
  transform: {
    filter: { id: { include: /\.ts$|[\\/]validator[\\/]es[\\/]/, exclude: /node_modules[\\/](?!validator[\\/])/ } },
    handler: (code, id) => {
      const places = initializersIn(id, code).toSorted((a, b) => b.start - a.start);
      if (places.length === 0) return undefined;
      const marked = places.reduce(
        (text, { start, end }) =>
          `${text.slice(0, start)}/* @__PURE__ */ __computed(() => (${text.slice(start, end)}))${text.slice(end)}`,
        code,
      );
      // The lines stay unchanged.
      return { code: `import { computed as __computed } from 'interlock:computed'; ${marked}`, map: null };
    },
  },
};

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Node types that compute a value. */
const computing = /^(?:Call|New|TaggedTemplate|Object|Array|Member|Chain|Template|Binary|Conditional|TSAs|TSSatisfies)/;

const initializersIn = (id: string, code: string): Place[] =>
  parseSync(id, code).program.body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ init }) => (init && computing.test(init.type) ? [init] : []));
  });
