import { StrictMode, Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import './theme/tokens.css';
import './theme/base.css';
import './theme/shared.css';
import { Route, Router, Switch, useLocation, Link } from 'wouter';
import './app.css';
import './shell/exported-head.css';
import './shell/navigation.css';
import { Monitor, Moon, Sun } from 'lucide-react';
import { startTheme, themes, useTheme } from './theme/use-theme.js';
import { CatalogProvider } from './api/catalog.js';
import { runFile } from './api/request.js';
import { asError } from './api/use-loaded.js';
import { Button } from './components/button.js';
import { ErrorNotice, NotFound } from './components/notices.js';
import { pages, places, startPage } from './routes.js';
import { GoToKey, GoToButton } from './shell/go-to-key.js';
import { ownPlace } from './shell/use-query.js';
import { runPagePath } from './shell/hrefs.js';
import type { RunFile } from '../protocol/run-file.js';

/** The path under which the studio is mounted; empty at the root. */
const mountedAt = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** A broken page is discarded when the address changes. */
const Pages = () => {
  const [location] = useLocation();
  return (
    <ErrorFence key={location}>
      <Switch>
        {visiblePages.map(({ path, page: PageComponent }) => (
          <Route key={path} path={path}>
            {(params: Record<string, string | undefined>) => <PageComponent {...params} />}
          </Route>
        ))}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </ErrorFence>
  );
};

/** A document without a server has only the page of its run. */
const visiblePages = runFile ? pages.filter(({ path }) => path === runPagePath) : pages;

/** The shell around every page: navigation, and an error boundary that confines a broken page. */
const App = () => (
  <Router {...(ownPlace ? { hook: ownPlace.hook } : { base: mountedAt })}>
    <div className={runFile ? 'app app-exported' : 'app'}>
      <a className="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      {runFile ? <ExportedHead file={runFile} /> : <Navigation />}
      <main id="main" className="app-main" tabIndex={-1}>
        <ErrorFence>
          <CatalogProvider>
            <Pages />
            <GoToKey />
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
if (!runFile) startPage(location.pathname.slice(mountedAt.length));

const place = document.querySelector('#studio');
if (!place) throw new Error('index.html has no place for the studio.');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

/** Replaces the navigation if the document contains one run. */
const ExportedHead = ({ file }: { readonly file: RunFile }) => (
  <header className="spread soft small exported-head">
    <p>
      <strong>Interlock</strong> A run, exported on {new Date(file.exportedAt).toLocaleString()}
      {!file.hasAllWords && '. Text that was not emitted (▒) is not in this file.'}
    </p>
    <ThemeSwitch />
  </header>
);

/** Shows the error of a page in its place, with a retry. React requires a class for this. */
class ErrorFence extends Component<{ readonly children: ReactNode }, { readonly error?: Error | undefined }> {
  override readonly state: { readonly error?: Error } = {};

  static getDerivedStateFromError(thrown: unknown): { readonly error: Error } {
    return { error: asError(thrown) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="page">
        <ErrorNotice error={error} onRetry={() => this.setState({ error: undefined })} />
      </div>
    );
  }
}

const isHere = (location: string, href: string): boolean =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);

/** A track that a set of points leads aside, and its signal at clear. */
const Mark = () => (
  <svg className="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden>
    <path d="M4 22h10l6-12h8" />
    <path className="mark-other" d="M14 22h14" />
    <circle cx="9" cy="11" r="3.5" />
  </svg>
);

/** The navigation to every part of the studio; at the side, or on top of a narrow page. */
const Navigation = () => {
  const [location] = useLocation();
  return (
    <nav className="navigation" aria-label="Studio">
      <Link className="navigation-home" href="/" aria-label="Interlock, to the chat">
        <Mark />
        <span>Interlock</span>
      </Link>
      <ul>
        {places.map(({ href, title, icon: Icon }) => (
          <li key={href}>
            <Link href={href} aria-current={isHere(location, href) ? 'page' : undefined}>
              <Icon size={16} aria-hidden />
              <span>{title}</span>
            </Link>
          </li>
        ))}
      </ul>
      <GoToButton />
      <ThemeSwitch />
    </nav>
  );
};

const looks = {
  system: { title: 'as the system', icon: Monitor },
  light: { title: 'light', icon: Sun },
  dark: { title: 'dark', icon: Moon },
} as const;

/** Light, dark, or as the system prefers: each press leads to the next. */
const ThemeSwitch = () => {
  const [theme, setTheme] = useTheme();
  const { title, icon: Icon } = looks[theme];
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <Button
      icon={Icon}
      look="quiet"
      className="theme-switch"
      aria-label={`Theme: ${title}`}
      title={title}
      onClick={() => setTheme(next)}
    />
  );
};
