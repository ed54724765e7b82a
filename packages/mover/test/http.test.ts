import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { linksOf } from '../src/http/http-index.ts';
import { move } from '../src/move.ts';
import { parseOrder } from '../src/order.ts';
import { processClock } from '../src/process-clock.ts';
import { failureOf } from './support/run.ts';
import { contents, scratch } from './support/trees.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const serve = async (answer: Answer): Promise<{ readonly url: string } & AsyncDisposable> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const clock = { ...processClock, delay: async () => {} };
const fetchTo = (folder: string, from: object) => {
  const to = { kind: 'local', root: folder, path: 'to' };
  const order = parseOrder(JSON.stringify({ from, to, parallelism: 1, flush: false }));
  return move(order, { clock, signal: new AbortController().signal, onProgress: () => {} });
};

const PAGES: { readonly [path: string]: string } = {
  '/pub/': `<a href="?C=N;O=D">Name</a> <a href="/">Parent</a> <a href='a%20b.txt'>a b</a>
    <a href="sub/">sub</a> <a href="http://elsewhere.example/x">x</a> <a href="../up">up</a>
    <a href="sub/deep.txt">deep</a> <a href="%2e%2e%2fetc">climbs</a>`,
  '/pub/sub/': '<A HREF="c.txt">c</A>',
};
const FILES: { readonly [path: string]: string } = {
  '/pub/a%20b.txt': 'one',
  '/pub/sub/c.txt': 'two',
};

const site: Answer = ({ url = '', method, headers }, response) => {
  const page = PAGES[url];
  const file = FILES[url];
  const text = page ?? file;
  if (url === '/pub') return void response.writeHead(301, { location: '/pub/' }).end();
  if (url === '/private' && headers.authorization !== 'Bearer t0ken') {
    return void response.writeHead(401).end();
  }
  if (url === '/private') return void response.writeHead(200, { 'content-length': 2 }).end('ok');
  if (text === undefined) return void response.writeHead(404).end();
  const type = page === undefined ? 'text/plain' : 'text/html';
  response.writeHead(200, {
    'content-type': type,
    'content-length': text.length,
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
  });
  response.end(method === 'HEAD' ? undefined : text);
};

test('an index page is a folder, whatever else it links to', async () => {
  using root = scratch();
  await using web = await serve(site);
  const result = await fetchTo(root.path, { kind: 'http', url: `${web.url}/pub` });
  assert.equal(result.files, 2);
  const expected = { '': '', 'a b.txt': 'one', sub: '', 'sub/c.txt': 'two' };
  assert.deepEqual(contents(join(root.path, 'to')), expected);
  const again = await fetchTo(root.path, { kind: 'http', url: `${web.url}/pub/` });
  assert.equal(again.filesCopied, 0);
});

test('a file of a server that tells no times is told from another one of its size', async () => {
  using root = scratch();
  const [size, third] = [3 * 8 * 2 ** 20, 2 * 8 * 2 ** 20];
  // The third piece is asked for when one of the others is there, and was noted.
  let [byte, endsAt] = ['1', third];
  await using web = await serve(({ url, method, headers }, response) => {
    const [, first = '0', last = String(size - 1)] =
      /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const length = url === '/small' ? 3 : Number(last) - Number(first) + 1;
    if (Number(first) >= endsAt) return void response.writeHead(403).end();
    response.writeHead(headers.range ? 206 : 200, {
      'content-length': length,
      etag: `"${byte}"`,
      ...(headers.range && { 'content-range': `bytes ${first}-${last}/${size}` }),
    });
    response.end(method === 'HEAD' ? undefined : byte.repeat(length));
  });
  const fetch = (name: string) => fetchTo(root.path, { kind: 'http', url: `${web.url}/${name}` });
  const read = () => new Set(readFileSync(join(root.path, 'to'), 'utf8'));
  assert.match(await failureOf(() => fetch('large')), /^PermissionDenied/);
  [byte, endsAt] = ['2', size];
  await fetch('large');
  assert.deepEqual(read(), new Set('2'), 'no piece of the old one');
  await fetch('small');
  assert.deepEqual(read(), new Set('2'));
  byte = '3';
  await fetch('small');
  assert.deepEqual(read(), new Set('3'), 'a size alone does not make it the same');
});

test('one file, with a token from a file; and what goes wrong', async () => {
  using root = scratch();
  await using web = await serve(site);
  const tokenFile = join(root.path, 'token');
  writeFileSync(tokenFile, 't0ken\n');
  const url = `${web.url}/private`;
  assert.equal((await fetchTo(root.path, { kind: 'http', url, tokenFile })).bytes, 2);
  assert.match(
    await failureOf(() => fetchTo(root.path, { kind: 'http', url })),
    /^PermissionDenied: .*401/,
  );
  const gone = { kind: 'http', url: `${web.url}/gone?sig=SECRET` };
  const serverCode = await failureOf(() => fetchTo(root.path, gone));
  assert.match(serverCode, /^SourceMissing: .*\/gone: the server answers 404/);
  assert.doesNotMatch(serverCode, /SECRET/);
});

test('a redirect takes no token to another server', async () => {
  using root = scratch();
  const seen: (string | undefined)[] = [];
  await using other = await serve(({ headers, method }, response) => {
    seen.push(headers.authorization);
    response.writeHead(200, { 'content-length': 1 }).end(method === 'HEAD' ? undefined : 'x');
  });
  await using web = await serve((_, response) => {
    response.writeHead(302, { location: `${other.url}/file` }).end();
  });
  const tokenFile = join(root.path, 'token');
  writeFileSync(tokenFile, 'mine');
  mkdirSync(join(root.path, 'to'));
  await fetchTo(root.path, { kind: 'http', url: `${web.url}/start`, tokenFile });
  assert.deepEqual(contents(join(root.path, 'to')), { '': '', file: 'x' });
  assert.deepEqual([...new Set(seen)], [undefined]);
});

test('links are read in time that grows with the page, not faster', () => {
  const base = new URL('http://h/p/');
  const page = `<a href="${'x'.repeat(9)}">`.repeat(1000) + 'href = '.repeat(200_000);
  assert.equal(linksOf(page, base).length, 1);
});
