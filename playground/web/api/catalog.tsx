import { createContext, use, useCallback, type ReactNode } from 'react';
import type { Catalog } from '../../protocol/catalog.js';
import { ErrorNotice } from '../components/error-notice.js';
import { Waiting } from '../components/waiting.js';
import { get } from './request.js';
import { useLoaded } from './use-loaded.js';

const CatalogContext = createContext<Catalog | undefined>(undefined);

/** Loads the catalog once and provides it to every page inside. */
export const CatalogProvider = ({ children }: { readonly children: ReactNode }) => {
  const loaded = useLoaded(useCallback((signal) => get<Catalog>('catalog', signal), []));
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  if (loaded.state === 'loading') return <Waiting noun="the catalog" />;
  return <CatalogContext value={loaded.value}>{children}</CatalogContext>;
};

/** Phases, the machine, agents, pipelines and error codes, from the server. */
export const useCatalog = (): Catalog => {
  const catalog = use(CatalogContext);
  if (!catalog) throw new Error('useCatalog is called outside of CatalogProvider.');
  return catalog;
};
