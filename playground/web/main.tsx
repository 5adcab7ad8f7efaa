import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import './theme/tokens.css';
import './theme/base.css';
import { Route, Router, Switch, useLocation } from 'wouter';
import './app.css';
import { startTheme } from './theme/use-theme.js';
import { CatalogProvider } from './api/catalog.js';
import { runFile } from './api/request.js';
import { RunReadersProvider } from './api/run-readers.js';
import { Waiting } from './components/waiting.js';
import { pages } from './routes.js';
import { ErrorFence } from './shell/error-fence.js';
import { ExportedHead } from './shell/exported-head.js';
import { GoToKey } from './shell/go-to-key.js';
import { Navigation } from './shell/navigation.js';
import { NotFound } from './shell/not-found.js';
import { ownPlace } from './shell/place.js';
import { runPagePath } from './shell/run-href.js';

/** The path under which the studio is mounted; empty at the root. */
const mountedAt = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** A page that broke is left behind with its address. */
const Pages = () => {
  const [location] = useLocation();
  return (
    <ErrorFence key={location}>
      <PageSwitch />
    </ErrorFence>
  );
};

/** A document without a server has the page of its run alone. */
const shownPages = runFile ? pages.filter(({ path }) => path === runPagePath) : pages;

const PageSwitch = () => (
  <Suspense fallback={<Waiting what="the page" />}>
    <Switch>
      {shownPages.map(({ path, page: PageComponent }) => (
        <Route key={path} path={path}>
          {(params: Record<string, string | undefined>) => <PageComponent {...params} />}
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  </Suspense>
);

/** The shell around every page: navigation, and a fence that keeps a broken page from taking the rest with it. */
const App = () => (
  <Router {...(ownPlace ? { hook: ownPlace.hook } : { base: mountedAt })}>
    <div className={runFile ? 'app app-exported' : 'app'}>
      <a className="skip" href="#main" onClick={skip}>
        Skip to the page
      </a>
      {runFile ? <ExportedHead file={runFile} /> : <Navigation />}
      <main id="main" className="app-main" tabIndex={-1}>
        <ErrorFence>
          <CatalogProvider>
            <RunReadersProvider>
              <Pages />
              <GoToKey />
            </RunReadersProvider>
          </CatalogProvider>
        </ErrorFence>
      </main>
    </div>
  </Router>
);

/** A hash would be resolved against the `<base>`, and lead away. */
const skip = (event: { preventDefault(): void }): void => {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
};

startTheme();

const place = document.querySelector('#studio');
if (!place) throw new Error('index.html has no place for the studio.');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
