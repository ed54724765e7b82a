import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ending } from '@perigee/kube/listen/ending';
import { listening } from '@perigee/kube/listen/listening';

/** A server that answers when it is told to, and ends on a clock that stands still unless it is told to go. */
const setUp = async () => {
  const clock = new VirtualClock();
  const open = new Map<string, ServerResponse>();
  const server = createServer(({ url = '' }, response) => {
    open.set(url, response);
    server.emit('asked');
  });
  const end = ending(server, clock);
  await listening(server, '127.0.0.1', 0);
  const { port } = server.address() as AddressInfo;
  const dial = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    return socket;
  };
  const asked = async (path: string): Promise<ServerResponse> => {
    for (;;) {
      const response = open.get(path);
      if (response !== undefined) return response;
      await once(server, 'asked');
    }
  };
  return { clock, dial, asked, end: () => end[Symbol.asyncDispose]() };
};

const ask = (socket: Socket, ...paths: readonly string[]): void =>
  void socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));

const hears = async (socket: Socket, text: string): Promise<void> => {
  let heard = '';
  while (!heard.includes(text)) heard += (await once(socket, 'data'))[0];
};

test('answers that begin while a server ends are given, too', async () => {
  const { dial, asked, end } = await setUp();
  const [slow, quick] = [await dial(), await dial()];
  ask(slow, '/slow');
  ask(quick, '/first');
  const responses = [await asked('/slow'), await asked('/first')];
  const ended = end();
  responses[1]?.end('the first');
  await hears(quick, 'the first');
  ask(quick, '/second');
  const second = await asked('/second');
  responses[0]?.end('at last');
  await hears(slow, 'at last');
  second.end('the second');
  await hears(quick, 'the second');
  await ended;
});

test('an answer that waits for one before it does not keep a server whose client is gone', async () => {
  const { dial, asked, end } = await setUp();
  const socket = await dial();
  ask(socket, '/one', '/two');
  const first = await asked('/one');
  await asked('/two');
  const gone = once(first, 'close');
  socket.destroy();
  await gone;
  await end();
});

test('who asks nothing is cut off, and who gets no answer in time', async () => {
  const { clock, dial, asked, end } = await setUp();
  const [silent, waiting] = [await dial(), await dial()];
  ask(waiting, '/never');
  await asked('/never');
  const cutOff = [once(silent, 'close'), once(waiting, 'close')];
  for (const socket of [silent, waiting]) socket.on('error', () => {}).resume();
  const ended = end();
  await clock.advance(5_000);
  await Promise.all([...cutOff, ended]);
});
