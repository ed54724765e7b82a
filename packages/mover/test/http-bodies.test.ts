import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { MessageAnswer, readAnswer } from '../src/http/answer.ts';
import { HttpConnection, type HttpRequest } from '../src/http/http-connection.ts';
import { failureOf, serveRaw } from './support/raw-server.ts';

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
      await using server = await serveRaw((socket, _, connection, bytes) => {
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
      await using server = await serveRaw((socket, request) => {
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

test('a connection on which half of a body was answered is let go, also when the body was given as a whole', {
  timeout: 20_000,
}, async () => {
  await using server = await serveRaw((socket, request) => {
    if (request > 1) return;
    socket.pause();
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 60_000 });
  const request = {
    method: 'PUT',
    path: '/x',
    headers: { host: 'h' },
    body: Buffer.alloc(2 ** 25),
  };
  {
    using answer = await connection.ask(request);
    assert.equal((await readAnswer(answer, 100)).toString(), 'ok');
  }
  await server.closed();
});

test('an attempt has stopped to read its body when it is told how it went: the next one gets the same buffers', async (t) => {
  const ends = {
    'the connection is cut': (socket: Socket) => socket.resetAndDestroy(),
    'the server answers early': (socket: Socket) =>
      socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'),
    'the server falls silent': () => {},
  };
  for (const [how, end] of Object.entries(ends)) {
    await t.test(how, async () => {
      await using server = await serveRaw((socket) => end(socket));
      using connection = new HttpConnection({ origin: server.origin, idleMs: 50 });
      let isReading = false;
      const body = async function* (): AsyncGenerator<Buffer> {
        yield Buffer.from('some bytes');
        isReading = true;
        // The source is slower than whatever ends the attempt.
        await new Promise((resolve) => setTimeout(resolve, 300));
        isReading = false;
        yield Buffer.from('more bytes');
      };
      const headers = { host: 'h', 'content-length': '1000' };
      await connection
        .send({ method: 'PUT', path: '/x', headers, body })
        .then((response) => response.resume())
        .catch(() => {});
      assert.equal(isReading, false);
    });
  }
});

test('an answer may take longer than silence may last otherwise, once all of the body was sent', async (t) => {
  const asks = {
    'the short way': async (connection: HttpConnection, request: HttpRequest) => {
      using answer = await connection.ask(request);
      return answer.status;
    },
    'by the full client': async (connection: HttpConnection, request: HttpRequest) => {
      const response = await connection.send(request);
      response.resume();
      return response.statusCode;
    },
  };
  for (const [how, ask] of Object.entries(asks)) {
    for (const body of Object.values(BODIES)) {
      await t.test(how, async () => {
        await using server = await serveRaw((socket, _, _1, bytes) => {
          if (!bytes.toString().endsWith('lo')) return;
          const text = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
          setTimeout(() => socket.write(text), 700);
        });
        using connection = new HttpConnection({ origin: server.origin, idleMs: 250 });
        const headers = { host: 'h', ...(!Buffer.isBuffer(body) && { 'content-length': '5' }) };
        const request = { method: 'PUT', path: '/x', headers, body };
        assert.match(await failureOf(() => ask(connection, request)), /no answer in 250 ms/);
        assert.equal(await ask(connection, { ...request, patienceMs: 20_000 }), 200);
      });
    }
  }
});
