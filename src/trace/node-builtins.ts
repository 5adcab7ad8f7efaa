/** Runtimes without Node's modules, such as browsers and workers, observe nothing. */
const { process } = globalThis as { process?: Partial<NodeJS.Process> };

export const diagnosticsChannel = process?.getBuiltinModule?.('node:diagnostics_channel');
export const asyncHooks = process?.getBuiltinModule?.('node:async_hooks');
