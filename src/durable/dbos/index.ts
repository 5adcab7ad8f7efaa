export { dbos } from './dbos.js';
export type { DbosOptions } from './dbos-host.js';
