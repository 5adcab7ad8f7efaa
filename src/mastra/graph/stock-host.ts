import type { Host, ModelChoice, ResolvedModel } from '../../phase/host.js';
import { plainHost } from '../../plain/plain-host.js';
import { loadMastra, loadRouter } from './load-mastra.js';
import { mastraHost } from './mastra-host.js';
import { isModelInstance, resolveAlone } from './resolve-alone.js';

/** The host of hooks that are called from outside: Mastra, which is loaded by then where it is Mastra that calls. */
export const stockHost = async (): Promise<Host> => {
  const parts = await loadMastra();
  return parts ? mastraHost(parts, resolveModel) : plainHost(resolveModel);
};

const resolveModel = async (model: ModelChoice): Promise<ResolvedModel> => {
  if (isModelInstance(model)) return model;
  return resolveAlone(model, await loadRouter());
};
