import { Cable, FlaskConical, MessageSquare, Rows3 } from 'lucide-react';
import type { ComponentType } from 'react';
import { entriesPath } from '../protocol/run-file.js';
import { apiUrl } from './api/request.js';
import { Waiting } from './components/notices.js';
import { onDemand } from './components/on-demand.js';
import { PageAway } from './shell/page-away.js';
import { runPagePath } from './shell/hrefs.js';

/** The places in the navigation. */
export const places = [
  { href: '/', title: 'Chat', icon: MessageSquare },
  { href: '/runs', title: 'Runs', icon: Rows3 },
  { href: '/pipelines', title: 'Pipelines', icon: Cable },
  { href: '/lab', title: 'Chunk lab', icon: FlaskConical },
] as const;

/** A page takes the parameters of its pattern as props. */
type PageComponent = ComponentType<Record<string, string | undefined>>;

/** A page: its pattern, and its code, which is loaded on first use. The browser does not request failed code again: the page is reloaded then. */
const page = (path: string, load: () => Promise<PageComponent>) => ({
  path,
  page: onDemand(() => load().catch(() => PageAway), <Waiting noun="the page" />),
});

/** The table of pages, in order of precedence. */
export const pages = [
  page('/', async () => (await import('./chat/chat-page.js')).ChatPage),
  page('/runs', async () => (await import('./runs/runs-page.js')).RunsPage),
  page(runPagePath, async () => (await import('./run/run-page.js')).RunPage),
  page('/runs/:runId/compare', async () => (await import('./workbench/compare/compare-page.js')).ComparePage),
  page('/runs/:runId/edit', async () => (await import('./again/fork-page.js')).ForkPage),
  page('/runs/:runId/compare/:otherId', async () => (await import('./again/compare-page.js')).ComparePage),
  page('/guards', async () => (await import('./again/guards-page.js')).GuardsPage),
  page('/guard-replay', async () => (await import('./again/guard-replay-page.js')).GuardReplayPage),
  page('/pipelines', async () => (await import('./workbench/pipelines/pipelines-page.js')).PipelinesPage),
  page('/pipelines/:id', async () => (await import('./workbench/pipelines/pipeline-page.js')).PipelinePage),
  page('/machine', async () => (await import('./workbench/machine/machine-page.js')).MachinePage),
  page('/lab', async () => (await import('./workbench/lab/lab-page.js')).LabPage),
];

/** Requests the code of the first page while the catalog is loaded; of a run also its lines. */
export const startPage = (address: string): void => {
  const found = pages.find(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '([^/]+)')}$`).test(address));
  void found?.page.request();
  const runId = address.split('/').at(-1) ?? '';
  if (found?.path !== runPagePath || runId.includes('%')) return;
  const link = { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: apiUrl(entriesPath(runId, 0)) };
  document.head.append(Object.assign(document.createElement('link'), link));
};
