import { Link, useLocation } from 'wouter';
import { places } from '../routes.js';
import { GoToButton } from './go-to-key.js';
import { ThemeSwitch } from './theme-switch.js';
import './navigation.css';

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

/** The way to every part of the studio; at the side, or on top where the page is narrow. */
export const Navigation = () => {
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
