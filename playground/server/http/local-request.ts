import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';

const localNames = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const localAddress = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;

/** Whether an address that a server is bound to can be reached from this machine alone. */
export const isLocalHost = (host: string): boolean => localNames.test(host) || localAddress.test(host);

/**
 * Whether a request comes from this machine and names it: a name of somebody else's that leads here (DNS rebinding) does not, and
 * neither does a request that was handed on by a proxy. Where it is not known who asks, it is nobody of this machine.
 */
export const isLocalRequest = (context: Context): boolean => {
  const host = context.req.header('Host')?.replace(/:\d+$/, '') ?? '';
  return localNames.test(host) && !isForwarded(context) && localAddress.test(peerOf(context) ?? '');
};

const isForwarded = ({ req }: Context): boolean =>
  ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP'].some((name) => req.header(name) !== undefined);

const peerOf = (context: Context): string | undefined => {
  try {
    return getConnInfo(context).remote.address;
  } catch {
    return undefined; // not served by Node
  }
};
