import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A fault of the next request that matches, once. */
export interface Fault {
  readonly request: RegExp;
  /** Sent in place of what the server says. */
  readonly answer?: string;
  /** The connection is cut when so many bytes of the answer came through. */
  readonly cutAfter?: number;
  /** Done before the request goes on. */
  readonly before?: () => Promise<unknown>;
}

/** A way to a server on which things go wrong, one after the other. */
export interface FaultyWay extends AsyncDisposable {
  readonly address: string;
  readonly faults: Fault[];
  /** The first lines of all requests. */
  readonly requests: string[];
  /** Bytes that come through at a time, and how long the way rests after them; 0 is all at once. */
  slow: { readonly bytes: number; readonly restMs: number } | undefined;
}

export const faultyWayTo = async (target: string): Promise<FaultyWay> => {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    let remainingBytes = Number.POSITIVE_INFINITY;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', async (bytes) => {
      const [line = ''] = bytes.toString('latin1', 0, 2000).split('\r\n');
      if (line.endsWith(' HTTP/1.1')) way.requests.push(line);
      const at = way.faults.findIndex(({ request }) => request.test(bytes.toString('latin1')));
      const [fault] = at === -1 ? [] : way.faults.splice(at, 1);
      near.pause();
      await fault?.before?.();
      near.resume();
      if (fault?.answer !== undefined) {
        near.end(fault.answer);
        return;
      }
      remainingBytes = fault?.cutAfter ?? Number.POSITIVE_INFINITY;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      const through = bytes.subarray(0, Math.min(remainingBytes, way.slow?.bytes ?? bytes.length));
      remainingBytes -= through.length;
      near.write(through);
      if (remainingBytes <= 0) {
        far.removeAllListeners('data');
        near.destroySoon();
      } else if (through.length < bytes.length) {
        far.pause();
        far.unshift(bytes.subarray(through.length));
        setTimeout(() => far.resume(), way.slow?.restMs);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const way: FaultyWay = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: [],
    requests: [],
    slow: undefined,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return way;
};
