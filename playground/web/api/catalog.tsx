import { createContext, use, type ReactNode } from 'react';
import type { AgentInfo, Catalog } from '../../protocol/catalog.js';
import { Loaded } from '../components/notices.js';
import { runFile } from './request.js';
import { useGet } from './use-loaded.js';

const CatalogContext = createContext<Catalog | undefined>(undefined);

/** Loads the catalog once and provides it to every page inside. */
export const CatalogProvider = ({ children }: { readonly children: ReactNode }) => (
  <Loaded loaded={useGet<Catalog>('catalog')} noun="the catalog">
    {(catalog) => <CatalogContext value={catalog}>{children}</CatalogContext>}
  </Loaded>
);

/** Phases, the machine, agents, pipelines and error codes, from the server. */
export const useCatalog = (): Catalog => {
  const catalog = use(CatalogContext);
  if (!catalog) throw new Error('useCatalog is called outside of CatalogProvider.');
  return catalog;
};

/** The title of a phase; its own name if it is not known. */
export const usePhaseTitle = (): ((phase: string) => string) => {
  const { phases } = useCatalog();
  return (name) => phases.find(({ phase }) => phase === name)?.title ?? name;
};

/** The agent of an id; undefined if it is not known any more. */
export const useAgent = (agentId: string | undefined): AgentInfo | undefined =>
  useCatalog().agents.find(({ id }) => id === agentId);

/** Whether a run of the agent can run again, with changes: that of another loop cannot. */
export const useCanRepeat = (agentId: string | undefined): boolean => useAgent(agentId)?.kind === 'interlock' && !runFile;
