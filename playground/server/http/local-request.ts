import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';

const localNames = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const localAddress = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;

/** Whether a bound address can be reached only from this machine. */
export const isLocalHost = (host: string): boolean => localNames.test(host) || localAddress.test(host);

/**
 * Whether a request comes from this machine and addresses it by a local name. A foreign name that resolves to this machine (DNS
 * rebinding) does not count, and neither does a request that a proxy forwarded or whose origin is unknown.
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
