import type { Mastra } from '@mastra/core/mastra';
import type { ApiRoute, IMastraAuthProvider } from '@mastra/core/server';
import { InterlockError } from '../../src/index.js';
import type { Access } from './http/access.js';
import { mountAt } from './http/app.js';
import { persistedToken } from './persisted-token.js';
import { openStudio, type StudioRoutesOptions } from './studio-routes.js';

/** Options for the studio on Mastra's server. */
export interface StudioRouteOptions extends Omit<StudioRoutesOptions, 'mastra'> {
  /** The mount path of the studio. It must not be below `/api`, which Mastra reserves. Default `'/interlock'`. */
  readonly path?: string;
}

/**
 * The studio as a route of Mastra's server, for `server.apiRoutes`: under `mastra dev`, a build of it, and every server adapter.
 * Access requires the login of `server.auth`, or `token` or `authorize` if given; with `loginUrl`, a browser without that login is
 * sent there. A server without any of them gets a token, and
 * the logger of the Mastra instance writes the address that contains it. Raises the errors of opening the store.
 *
 * @example
 * new Mastra({ agents: { support }, server: { apiRoutes: [studioRoute()] } });
 */
export const studioRoute = ({ path = '/interlock', ...options }: StudioRouteOptions = {}): ApiRoute => {
  const base = mountAt(path).slice(0, -1);
  const hasOwnAccess = options.token !== undefined || options.authorize !== undefined;
  return {
    path: `${base}/*`,
    method: 'ALL',
    requiresAuth: !hasOwnAccess && options.loginUrl === undefined,
    createHandler: async ({ mastra }) => {
      const loggedIn = new WeakSet<Request>();
      const access = hasOwnAccess ? {} : accessOf(mastra, options, loggedIn);
      const studio = await openStudio({ ...options, ...access, mastra, path: base });
      if (access.token !== undefined) announce(mastra, `${base}/?token=${encodeURIComponent(access.token)}`);
      return ({ req, get }: RouteContext) => {
        const { pathname, search } = new URL(req.raw.url);
        if (pathname === base) return new Response(null, { status: 302, headers: { Location: `${base}/${search}` } }); // without a check: it says nothing
        if (get('requestContext')?.get(userKey) !== undefined) loggedIn.add(req.raw);
        return studio.fetch(req.raw);
      };
    },
  };
};

/** The key under which Mastra's server stores the user of a request; no request can set it itself. */
const userKey = 'mastra__user';

/** The used part of the context that Mastra's server passes to a route. */
interface RouteContext {
  readonly req: { readonly raw: Request };
  readonly get: (name: 'requestContext') => { get(key: string): unknown } | undefined;
}

/**
 * The server's login, if it has one. Its rules match addresses in their own way (they omit that of the mount itself), so
 * a request is authorized only if there is a user, and not because it reached this route.
 */
const accessOf = (mastra: Mastra, { file, loginUrl }: StudioRouteOptions, loggedIn: WeakSet<Request>): Access => {
  const auth = mastra.getServer()?.auth;
  if (!auth) return { token: persistedToken(file) };
  if (loginUrl === undefined) return { authorize: (request) => loggedIn.has(request) };
  if (!('authorizeUser' in auth))
    throw new InterlockError('studio/invalid-option', {
      path: 'loginUrl',
      detail: 'this login has rules of its own; pass `authorize`, too',
    });
  return { authorize: (request) => isUser(auth, request) };
};

/** Mastra's server answers a stranger with JSON. With the address of a login, it leaves them to this route, which asks the same login. */
const isUser = async (auth: IMastraAuthProvider, request: Request): Promise<boolean> => {
  const token = request.headers.get('Authorization')?.replace(/^Bearer\s+/i, '') ?? '';
  const user: unknown = await auth.authenticateToken(token, request).catch(() => undefined);
  return Boolean(user) && auth.authorizeUser(user, request);
};

const announce = (mastra: Mastra, address: string): void =>
  mastra.getLogger()?.info(`Interlock studio: open ${address} on this server.`);
