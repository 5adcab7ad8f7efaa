import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { InterlockError } from '../../../src/index.js';
import { isLocalRequest } from './local-request.js';

/** Who may look at runs, and start them. */
export interface Access {
  /** What everybody must bring; without one (and without `authorize`) only this machine may. */
  readonly token?: string;
  /** Decides instead, e.g. by the login of the application that the studio is mounted in. */
  readonly authorize?: (request: Request) => boolean | Promise<boolean>;
  /** Origins beside the studio's own from which pages may call it, e.g. `https://ops.example.com` behind a proxy. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

const cookieName = 'interlock_studio';

/**
 * Lets a request through, or refuses it: `studio/unauthorized`, `studio/forbidden`. A page of another site is refused whatever it
 * brings, and so is, without a token, a name that only pretends to be this machine.
 */
export const guardAccess = (access: Access): MiddlewareHandler => {
  const { token, authorize, allowedOrigins = [] } = access;
  return async (context, next) => {
    if (isForeignOrigin(context, allowedOrigins)) throw new InterlockError('studio/forbidden', { path: 'Origin' });
    if (authorize) {
      if (!(await authorize(context.req.raw))) throw new InterlockError('studio/unauthorized');
    } else if (token !== undefined) {
      const opened = openWithToken(context, token);
      if (opened) return opened;
    } else if (!isLocalRequest(context))
      throw new InterlockError('studio/forbidden', {
        path: 'Host',
        detail: 'without a token the studio answers this machine only',
      });
    return next();
  };
};

const isForeignOrigin = ({ req }: Context, allowed: readonly string[]): boolean => {
  const origin = req.header('Origin');
  if (origin === undefined) return req.header('Sec-Fetch-Site') === 'cross-site' && req.method !== 'GET';
  const own = req.header('Host');
  return !(URL.canParse(origin) && new URL(origin).host === own) && !allowed.includes(origin);
};

/** A token in the address is put away in a cookie, so that it stands neither in history nor in links. */
const openWithToken = (context: Context, token: string): Response | undefined => {
  const url = new URL(context.req.url);
  const asked = url.searchParams.get('token');
  const brought = asked ?? context.req.header('Authorization')?.replace(/^Bearer /, '') ?? getCookie(context, cookieName);
  if (brought === undefined || !isSame(brought, token)) throw new InterlockError('studio/unauthorized');
  if (asked === null || context.req.method !== 'GET') return undefined;
  setCookie(context, cookieName, token, { httpOnly: true, sameSite: 'Strict', path: '/', secure: url.protocol === 'https:' });
  url.searchParams.delete('token');
  return context.redirect(`${url.pathname}${url.search}`);
};

/** Compares in a time that says nothing about where two texts differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
