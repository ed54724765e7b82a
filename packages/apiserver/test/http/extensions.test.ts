import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { createLogger } from '@perigee/kube/observe/logger';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { AuditEvent } from '../../src/audit/audit-event.ts';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import type { Extension } from '../../src/http/extension.ts';
import { newAccount, startGuarded } from '../authn/tls-fixture.ts';

const json = (code: number, content: object) => ({
  code,
  headers: { 'content-type': 'application/json', 'x-of': 'the extension' },
  body: JSON.stringify(content),
});

/** Creates a namespace that its caller names, and tells what failed in its own form. */
const extension: Extension = {
  prefixes: ['/extension/'],
  answer: async ({ method, path, query, body, client }) => {
    if (method !== 'POST') return json(200, { method, path, a: query.get('a') });
    const { name } = JSON.parse(Buffer.from(await body()).toString());
    const { metadata } = await client.create(Namespace, { metadata: { name } });
    return { ...json(201, { name: metadata.name }), warnings: ['new'] };
  },
  refuse: (error) =>
    json(error instanceof ApiError ? error.code : 500, { why: (error as Error).message }),
};

test('an extension answers below its prefix, and nowhere else', async () => {
  await using server = await startEmbeddedServer({ clock: realClock, extensions: [extension] });
  await server.openCluster('m1');
  const answer = await fetch(`${server.url}/extension/x?a=b`);
  assert.equal(answer.headers.get('x-of'), 'the extension');
  assert.deepEqual(await answer.json(), { method: 'GET', path: '/extension/x', a: 'b' });
  const head = await fetch(`${server.url}/extension/x`, { method: 'HEAD' });
  assert.equal(await head.text(), '');
  for (const path of ['/extension', '/clusters/m1/extension/x', '/api/extension/x']) {
    assert.equal((await fetch(server.url + path)).headers.get('x-of'), null, path);
  }
});

test('what an extension writes in an open server is written, and its warnings are told', async () => {
  const logger = createLogger({ clock: realClock, level: 'error', write: () => {} });
  const options = { clock: realClock, extensions: [extension], logger };
  await using server = await startEmbeddedServer(options);
  const post = (body: string) => fetch(`${server.url}/extension/`, { method: 'POST', body });
  const answer = await post('{"name":"n1"}');
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('warning'), '299 - "new"');
  assert.ok(await server.client.get(Namespace, { name: 'n1' }));
  assert.equal((await post('{"name":"n1"}')).status, 409);
  assert.equal((await post('no json')).status, 500);
  assert.equal((await post(' '.repeat(4 * 1024 * 1024))).status, 413);
});

test('what is done through an extension is in the audit log', async () => {
  const events: AuditEvent[] = [];
  const audit = { to: (event: AuditEvent) => void events.push(event) };
  await using server = await startGuarded({ extensions: [extension], audit });
  const mayNot = await newAccount(server, 'may-not');
  await server.call({ token: mayNot }, 'POST', '/extension/', { name: 'n1' });
  await server.call({ pair: server.pki.admin }, 'POST', '/extension/', { name: 'n1' });
  const told = events.filter(({ requestURI }) => requestURI === '/extension/');
  const shown = told.map(({ verb, user, responseStatus, annotations }) => [
    verb,
    user?.username,
    responseStatus?.code,
    annotations?.['authorization.k8s.io/decision'],
  ]);
  assert.deepEqual(shown, [
    ['post', 'system:serviceaccount:default:may-not', 403, 'forbid'],
    ['post', 'perigee-admin', 201, 'allow'],
  ]);
});

test('an extension does what its caller may do, and answers for refusals in its form', async () => {
  await using server = await startGuarded({ extensions: [extension] });
  const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['create'] }];
  const may = await newAccount(server, 'may', rules);
  const mayNot = await newAccount(server, 'may-not');
  const post = (identity: object, name: string) =>
    server.call(identity, 'POST', '/extension/', { name });
  assert.equal((await post({ token: may }, 'n1')).code, 201);
  const refused = await post({ token: mayNot }, 'n2');
  assert.equal(refused.code, 403);
  assert.match(String(refused.body.why), /may-not" cannot create resource "namespaces"/);
  assert.deepEqual((await post({}, 'n2')).body, { why: 'Unauthorized' });
  assert.equal((await post({ pair: server.pki.admin }, 'n2')).code, 201);
  const headers = { 'impersonate-user': 'system:serviceaccount:default:may-not' };
  assert.equal((await post({ pair: server.pki.admin, headers }, 'n3')).code, 403);
  assert.equal((await post({ token: may, headers }, 'n3')).code, 403);
});
