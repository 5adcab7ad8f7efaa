import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be lost. */
export type Link = Awaited<ReturnType<typeof startLink>>;

/** Passes connections on to a port of this machine. */
export const startLink = async (port: number) => {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'deaf' = 'open';
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((from) => {
    from.on('error', () => undefined);
    if (state === 'cut') return void from.destroy();
    const to = connect(port, '127.0.0.1');
    to.on('error', () => from.destroy());
    for (const socket of [from, to]) sockets.add(socket);
    from.pipe(to);
    to.on('data', (data) => state !== 'deaf' && from.write(data));
    from.once('close', () => to.destroy());
    to.once('close', () => from.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Loses the way: every connection ends, and no other one is accepted until `mend`. */
    cut: (): void => {
      state = 'cut';
      cut();
    },
    /** From now on requests arrive and their answers are lost. */
    deafen: () => void (state = 'deaf'),
    mend: (): void => {
      if (state === 'deaf') cut();
      state = 'open';
    },
    close: (): void => {
      cut();
      server.close();
    },
  };
};
