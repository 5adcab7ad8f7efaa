export { restate } from './restate.js';
export type { RestateOptions } from './restate-options.js';
