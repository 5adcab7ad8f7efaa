import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { expect, it, onTestFinished } from 'vitest';

import { openPool } from './database.js';

/** A message of PostgreSQL's protocol. */
const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const shutDown = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

/** A server that ends each connection right after it has accepted it. */
const startServer = async (): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => void socket.end(Buffer.concat([authenticated, ready, shutDown])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `postgresql://user@127.0.0.1:${(server.address() as AddressInfo).port}/runs`;
};

it('openPool: a server that ends a connection as it is checked out does not end the process', async () => {
  const pool = openPool({ connectionString: await startServer() });
  const client = await pool.connect();
  await expect(client.query('SELECT 1')).rejects.toThrow(/connection/i);
  client.release(true);
  await pool.end();
});
