import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswer } from '../src/http/answer.ts';
import { HttpConnection } from '../src/http/http-connection.ts';
import { failureOf, serveRaw } from './support/raw-server.ts';

const readAll = async (connection: HttpConnection, path = '/x') => {
  using answer = await connection.ask({ method: 'GET', path, headers: { host: 'h' } });
  return { status: answer.status, text: (await readAnswer(answer, 2 ** 20)).toString() };
};

test('one connection is used again, however the bytes of an answer come', async () => {
  await using server = await serveRaw((socket, request) => {
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
  await using server = await serveRaw((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
  for (let at = 0; at < 3; at++) assert.equal((await readAll(connection)).text, 'ok');
  assert.equal(server.seen.connections, 3);
});

test('a connection with bytes that belong to no answer, or with a body that nobody read, is not used again', async () => {
  await using server = await serveRaw((socket, request) => {
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
      await using server = await serveRaw((socket) => {
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
      await using server = await serveRaw((socket) => socket.write(text));
      using connection = new HttpConnection({ origin: server.origin, idleMs: 5000 });
      assert.match(await failureOf(() => readAll(connection)), /Parse Error/);
    });
  }
});

test('fewer bytes than announced, and a server that falls silent', async () => {
  await using server = await serveRaw((socket, request) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf');
    if (request === 1) socket.end();
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 50 });
  assert.match(await failureOf(() => readAll(connection)), /the connection was cut off/);
  assert.match(await failureOf(() => readAll(connection)), /no answer in 50 ms/);
});

test('a server that falls silent on a connection that was used before has got the request, and is not asked again unseen', async () => {
  await using server = await serveRaw((socket, request) => {
    if (request === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  using connection = new HttpConnection({ origin: server.origin, idleMs: 100 });
  assert.equal((await readAll(connection)).text, 'ok');
  assert.match(await failureOf(() => readAll(connection)), /no answer in 100 ms/);
  assert.deepEqual(server.seen, { requests: 2, connections: 1 });
});

test('no value that a server has given can end a line of a request', async () => {
  await using server = await serveRaw((socket) => socket.end());
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
