import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { InterlockError } from '../../../src/index.js';
import { isLocalRequest } from './local-request.js';

/** Decides which requests may read and start runs. */
export interface Access {
  /** The required token of requests. Without one (and without `authorize`) only requests from this machine are answered. */
  readonly token?: string;
  /** Replaces the token check, e.g. by the login of the application that mounts the studio. */
  readonly authorize?: (request: Request) => boolean | Promise<boolean>;
  /** The address of the login of the application, with `authorize` or `server.auth`: a browser without a login is sent there. */
  readonly loginUrl?: string;
  /**
   * Origins, in addition to the studio's own, whose pages may call it, e.g. `https://ops.example.com` behind a proxy. Default:
   * none.
   */
  readonly allowedOrigins?: readonly string[];
}

/**
 * Lets a request through, or rejects it: `studio/unauthorized`, `studio/forbidden`. A request from another site's page
 * is always rejected. Without a token, so is a host name that only pretends to be this machine.
 *
 * @param path the mount path of the studio, with a slash at both ends
 */
export const guardAccess = (access: Access, path: string): MiddlewareHandler => {
  const { token, authorize, loginUrl, allowedOrigins = [] } = access;
  return async (context, next) => {
    if (isForeign(context, allowedOrigins)) throw new InterlockError('studio/forbidden', { path: 'Origin' });
    if (authorize) {
      if (!(await authorize(context.req.raw))) return rejectStranger(context, loginUrl);
    } else if (token !== undefined) {
      const answer = checkToken(context, token, path);
      if (answer) return answer;
    } else if (!isLocalRequest(context))
      throw new InterlockError('studio/forbidden', {
        path: 'Host',
        detail: 'without a token, the studio accepts requests from this machine only',
      });
    return next();
  };
};

/** Whether another site's page sends the request. A link to the studio does not count; a picture or a frame does. */
const isForeign = ({ req }: Context, allowed: readonly string[]): boolean => {
  const origin = req.header('Origin');
  if (origin !== undefined)
    return !(URL.canParse(origin) && new URL(origin).host === req.header('Host')) && !allowed.includes(origin);
  const isFromSite = ['cross-site', 'same-site'].includes(req.header('Sec-Fetch-Site') ?? '');
  return isFromSite && !(req.method === 'GET' && req.header('Sec-Fetch-Dest') === 'document');
};

/** Lets a request with the token through. A token in the address is exchanged for a cookie, so that history and links do not contain it. */
const checkToken = (context: Context, token: string, path: string): Response | undefined => {
  const { req } = context;
  const url = new URL(req.url);
  const session = createHmac('sha256', token).update('session of the studio').digest('base64url');
  const cookie = `interlock_studio_${url.port || 'default'}`;
  const queryToken = url.searchParams.get('token');
  const presented = queryToken ?? req.header('Authorization')?.replace(/^Bearer /, '');
  const isLetIn = presented === undefined ? isSame(getCookie(context, cookie) ?? '', session) : isSame(presented, token);
  if (!isLetIn) {
    if (wantsPage(context)) return context.html(tokenPage, 401);
    throw new InterlockError('studio/unauthorized');
  }
  if (queryToken === null || req.method !== 'GET') return undefined;
  const secure = url.protocol === 'https:' || req.header('X-Forwarded-Proto') === 'https';
  setCookie(context, cookie, session, { httpOnly: true, sameSite: 'Strict', path, secure });
  url.searchParams.delete('token');
  return context.redirect(`${url.pathname}${url.search}`);
};

const wantsPage = ({ req }: Context): boolean => req.method === 'GET' && req.header('Accept')?.includes('text/html') === true;

/** A browser is sent to the login, or is shown where to log in; a program gets an error. */
const rejectStranger = (context: Context, loginUrl: string | undefined): Response => {
  if (!wantsPage(context)) throw new InterlockError('studio/unauthorized');
  return loginUrl === undefined ? context.html(loginPage, 401) : context.redirect(loginUrl);
};

const pageStyle =
  'body { color-scheme: light dark; font: 16px/1.5 system-ui; margin: 20vh auto; max-width: 28rem; padding: 0 1rem } input, button { font: inherit; padding: .4rem .6rem }';

const loginPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Studio: login</title>
<style>${pageStyle}</style>
<h1>Log in to open the studio</h1>
<p>The application that serves this studio decides which users may open it. Log in there, then open this page again.</p>
</html>`;

const tokenPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Studio: token</title>
<style>${pageStyle}</style>
<h1>The studio requires its token</h1>
<p>Open the address that the studio printed when it started, or enter the token.</p>
<form method="get"><label>Token <input type="password" name="token" required autofocus></label> <button>Open</button></form>
</html>`;

/** Compares in a time that does not depend on the position of the first difference. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
