/** The address of the documentation: `homepage` of package.json, or without one the folder inside the installed package. */
const documentation = 'node_modules/mastra-interlock/docs';

/** The address of a code's entry in the reference of errors. */
export const errorPageOf = (code: string): string =>
  `${documentation}/reference/errors${documentation.startsWith('https:') ? '' : '.md'}#${code.replace('/', '-')}`;
