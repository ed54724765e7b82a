import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { MessageAnswer, readAnswer } from '../src/http/answer.ts';
import { HttpConnection, type HttpRequest } from '../src/http/http-connection.ts';

/** A server that answers each request as it is told, byte by byte as they are. */
const serve = async (
  answer: (socket: Socket, request: number, connection: number, bytes: Buffer) => void,
) => {
  let [requests, connections] = [0, 0];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => answer(socket, ++requests, connection, bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    get seen() {
      return { requests, connections };
    },
    /** Resolves when the other side has closed all connections. */
    closed: () => Promise.all([...sockets].map((socket) => once(socket.resume(), 'close'))),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const readAll = async (connection: HttpConnection, path = '/x') => {
  using answer = await connection.ask({ method: 'GET', path, headers: { host: 'h' } });
  return { status: answer.status, text: (await readAnswer(answer, 2 ** 20)).toString() };
};

const failureOf = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
};

test('one connection is used again, however the bytes of an answer come', async () => {
  await using server = await serve((socket, request) => {
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nEtag: "e"\r\n\r\nhello';
    if (request === 1) socket.write(text);
    // Cut within the end of the head, and within the body.
    const cuts = [0, 3, text.indexOf('\r\n\r\n') + 2, text.length - 2];
    for (const [at, cut] of request === 1 ? [] : cuts.entries()) {
      setImmediate(() => socket.write(text.slice(cut, cuts[at + 1])));
    }
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
  for (let at = 0; at < 3; at++) {
    assert.deepEqual(await readAll(connection), { status: 200, text: 'hello' });
  }
  assert.deepEqual(server.seen, { requests: 3, connections: 1 });
});

test('a connection that the server has closed meanwhile is no failure', async () => {
  await using server = await serve((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
  for (let at = 0; at < 3; at++) assert.equal((await readAll(connection)).text, 'ok');
  assert.equal(server.seen.connections, 3);
});

test('a connection with bytes that belong to no answer, or with a body that nobody read, is not used again', async () => {
  await using server = await serve((socket, request) => {
    const more = request === 1 ? 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil' : '';
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood${more}`);
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
  assert.equal((await readAll(connection)).text, 'good');
  assert.equal((await readAll(connection)).text, 'good');
  assert.equal(server.seen.connections, 2);
  (await connection.ask({ method: 'GET', path: '/x', headers: { host: 'h' } }))[Symbol.dispose]();
  assert.equal((await readAll(connection)).text, 'good');
  assert.equal(server.seen.connections, 3);
});

test('what cannot be read the short way is asked for by the full client, from then on', async (t) => {
  const answers = {
    'in chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'with news before':
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    'until the end': 'HTTP/1.0 200 OK\r\n\r\nok',
  };
  for (const [how, text] of Object.entries(answers)) {
    await t.test(how, async () => {
      await using server = await serve((socket) => {
        socket.write(text);
        if (text.startsWith('HTTP/1.0')) socket.end();
      });
      using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
      assert.equal((await readAll(connection)).text, 'ok');
      assert.equal((await readAll(connection)).text, 'ok');
      assert.equal(server.seen.requests, 3);
    });
  }
});

test('what is no answer is told, and nothing is taken for a body', async (t) => {
  const answers = {
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
    'a length and chunks':
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok',
    'a field without a name': 'HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 2\r\n\r\nok',
    'no HTTP': 'SSH-2.0-OpenSSH_9.2\r\n\r\n',
    'a head without an end': `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`,
  };
  for (const [what, text] of Object.entries(answers)) {
    await t.test(what, async () => {
      await using server = await serve((socket) => socket.write(text));
      using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
      assert.match(await failureOf(() => readAll(connection)), /Parse Error/);
    });
  }
});

test('fewer bytes than announced, and a server that falls silent', async () => {
  await using server = await serve((socket, request) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf');
    if (request === 1) socket.end();
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 50 });
  assert.match(await failureOf(() => readAll(connection)), /it was cut off/);
  assert.match(await failureOf(() => readAll(connection)), /no answer in 50 ms/);
});

test('no value that a server has given can end a line of a request', async () => {
  await using server = await serve((socket) => socket.end());
  using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
  const headers = { host: 'h', 'if-match': '"a"\r\nx-evil: 1' };
  assert.match(
    await failureOf(() => connection.ask({ method: 'GET', path: '/x', headers })),
    /Invalid character/,
  );
  assert.match(
    await failureOf(() => connection.ask({ method: 'GET', path: '/x y', headers: { host: 'h' } })),
    /characters/,
  );
  assert.equal(server.seen.requests, 0);
});

const BODIES = {
  'as a whole': Buffer.from('hello'),
  'in steps': async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('hel');
    yield Buffer.from('lo');
  },
};

test('a body is sent again from its beginning when an idle connection turns out to be closed', async (t) => {
  for (const [how, body] of Object.entries(BODIES)) {
    await t.test(how, async () => {
      const bodies: string[] = [];
      let text = '';
      await using server = await serve((socket, _, connection, bytes) => {
        text += bytes;
        // Its time was up when the second request was on its way.
        if (connection === 1 && bodies.length === 1) socket.resetAndDestroy();
        if (connection === 1 && bodies.length === 1) text = '';
        if (!text.endsWith('hello')) return;
        bodies.push(text.slice(text.indexOf('\r\n\r\n') + 4));
        text = '';
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
      using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
      const headers = { host: 'h', ...(!Buffer.isBuffer(body) && { 'content-length': '5' }) };
      for (let at = 0; at < 2; at++) {
        using answer = await connection.ask({ method: 'PUT', path: '/x', headers, body });
        assert.equal((await readAnswer(answer, 100)).toString(), 'ok');
      }
      assert.deepEqual(bodies, ['hello', 'hello']);
      assert.equal(server.seen.connections, 2);
    });
  }
});

test('a server that answers before it has read the body is heard, and nothing of that connection is used again', async (t) => {
  const asks = {
    'the short way': (connection: HttpConnection, request: HttpRequest) => connection.ask(request),
    'by the full client': async (connection: HttpConnection, request: HttpRequest) =>
      new MessageAnswer(await connection.send(request)),
  };
  for (const [how, ask] of Object.entries(asks)) {
    await t.test(how, async () => {
      await using server = await serve((socket, request) => {
        if (request > 1) return;
        socket.pause();
        socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
      });
      using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
      const megabyte = Buffer.alloc(2 ** 20);
      let isClosed = false;
      const body = async function* (): AsyncGenerator<Buffer> {
        try {
          for (let at = 0; at < 256; at++) yield megabyte;
        } finally {
          isClosed = true;
        }
      };
      const headers = { host: 'h', 'content-length': String(2 ** 28) };
      {
        using answer = await ask(connection, { method: 'PUT', path: '/x', headers, body });
        assert.equal(answer.status, 403);
        assert.equal((await readAnswer(answer, 100)).toString(), 'no');
      }
      assert.equal(isClosed, true, 'the file that it read from is closed');
      await server.closed();
    });
  }
});
