import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { runHref } from '../shell/hrefs.js';
import { useTitle } from '../shell/use-title.js';

/** The name and address of a page above. */
type Crumb = readonly [name: string, href: string];

interface PageHeadProps {
  readonly crumbs: readonly Crumb[];
  readonly title: string;
  /** A badge next to the title. */
  readonly badge?: ReactNode;
  /** Buttons at the right of the title. */
  readonly tools?: ReactNode;
  /** Text and badges below the title. */
  readonly children?: ReactNode;
}

/** The head of a page below another, and its title in the browser: the way back, its name, its buttons. */
export const PageHead = ({ crumbs, title, badge, tools, children }: PageHeadProps) => {
  useTitle(title);
  return (
    <header className="stack-s workbench-head">
      <p className="small">
        {crumbs.map(([name, href], index) => (
          <Fragment key={name}>
            {index > 0 && ' › '}
            <Link href={href}>{name}</Link>
          </Fragment>
        ))}
      </p>
      <div className="spread">
        <h1 className="cluster">
          {title} {badge}
        </h1>
        {tools !== undefined && <div className="cluster">{tools}</div>}
      </div>
      {children}
    </header>
  );
};

/** The pages above a page about a run. */
export const crumbsOfRun = (runId: string): readonly Crumb[] => [
  ['Runs', '/runs'],
  ['Run', runHref(runId)],
];
