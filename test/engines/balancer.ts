import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One address for several processes: a connection goes to the first of them that accepts it. */
export const startBalancer = async (ports: readonly number[]) => {
  const sockets = new Set<Socket>();
  const pass = (from: Socket, [port, ...others]: readonly number[]): void => {
    if (port === undefined) return void from.destroy();
    const to = connect(port, '127.0.0.1');
    to.once('connect', () => {
      from.pipe(to).pipe(from);
      from.once('close', () => to.destroy());
      to.once('close', () => from.destroy());
    });
    to.once('error', () => (to.connecting || to.bytesRead === 0 ? pass(from, others) : from.destroy()));
    sockets.add(to);
  };
  let isCut = false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((from) => {
    from.on('error', () => undefined);
    if (isCut) return void from.destroy();
    sockets.add(from);
    pass(from, ports);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends every connection, and accepts no other one until `mend`. */
    cut: (): void => {
      isCut = true;
      cut();
    },
    mend: () => void (isCut = false),
    close: (): void => {
      server.close();
      cut();
    },
  };
};
