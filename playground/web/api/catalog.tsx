import { use } from 'react';
import type { AgentInfo, Catalog } from '../../protocol/catalog.js';
import { get } from './request.js';

let catalog: Promise<Catalog> | undefined;

/** Requests the catalog once, and again after an error was shown. */
export const requestCatalog = (): Promise<Catalog> => (catalog ??= get<Catalog>('catalog'));

export const forgetCatalog = (): void => {
  catalog = undefined;
};

/** Phases, the machine, agents, pipelines and error codes, from the server. The page waits for them. */
export const useCatalog = (): Catalog => use(requestCatalog());

/** The title of a phase; its own name if it is not known. */
export const usePhaseTitle = (): ((phase: string) => string) => {
  const { phases } = useCatalog();
  return (name) => phases.find(({ phase }) => phase === name)?.title ?? name;
};

/** The agent of an id; undefined if it is not known any more. */
export const useAgent = (agentId: string | undefined): AgentInfo | undefined =>
  useCatalog().agents.find(({ id }) => id === agentId);
