import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { AuditEvent, AuditLevel } from '../../src/audit/audit-event.ts';
import { startGuarded } from '../authn/tls-fixture.ts';
import { CONFIG_MAPS, serveApi, WIDGETS, widgetBody } from '../http/http-fixture.ts';

const serveAudited = async (level?: AuditLevel, given: Parameters<typeof serveApi>[0] = {}) => {
  const events: AuditEvent[] = [];
  const audit = { to: (event: AuditEvent) => void events.push(event), ...(level ? { level } : {}) };
  const api = await serveApi({ ...given, server: { audit } });
  /** The audit record of the request with this answer. */
  const about = async (id: string | null, stage = 'ResponseComplete'): Promise<AuditEvent> => {
    for (;;) {
      const found = events.find((event) => event.auditID === id && event.stage === stage);
      if (found !== undefined) return found;
      await realClock.yield();
    }
  };
  return { ...api, events, about };
};

describe('the audit log', () => {
  const TOKEN = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJqYW5lIn0.c2ln';
  const SECRET_QUERIES = [
    `access_token=${TOKEN}`,
    `pretty=1&Access%5FToken=s3cr3t`,
    `token=s3cr3t&token=s3cr3t`,
    `authorization=Bearer+s3cr3t`,
    `Bearer%20s3cr3t`,
    `bearer=s3cr3t;password=s3cr3t`,
    `x=1&api-key=s3cr3t#id_token=s3cr3t`,
    `anything=${TOKEN}`,
    `a=?client_secret=s3cr3t`,
    `%=&token=s3cr3t`,
  ];
  for (const query of SECRET_QUERIES) {
    it(`holds nothing that lets somebody in: ?${query}`, async () => {
      await using api = await serveAudited();
      const { port } = new URL(api.server.url);
      const socket = connect(Number(port), '127.0.0.1');
      const path = `${WIDGETS}?${query}`;
      socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      const [, id = ''] = /audit-id: (\S+)/i.exec(await text(socket)) ?? [];
      const event = await api.about(id);
      assert.doesNotMatch(JSON.stringify(event), /s3cr3t|eyJ/);
      assert.ok(event.requestURI.startsWith(`${WIDGETS}?`));
      assert.ok(event.requestURI.includes('REDACTED'));
    });
  }

  it('keeps parameters that only look for something', async () => {
    await using api = await serveAudited();
    const path = `${WIDGETS}?labelSelector=token%3Da&continue=eyJ2IjoiIn0&limit=5`;
    const { headers } = await api.call('GET', path);
    assert.equal((await api.about(headers.get('audit-id'))).requestURI, path);
  });

  it('tells who did what, when, and what came of it', async () => {
    const user = { name: 'jane', uid: '1', groups: ['devs'], extra: { scopes: ['all'] } };
    await using api = await serveAudited(undefined, { api: { authorize: () => user } });
    const { headers } = await api.call('GET', `${WIDGETS}/nothing?pretty=1`, {
      headers: { 'user-agent': 'kubectl/v1', 'x-forwarded-for': '192.0.2.7, no address' },
    });
    const { requestReceivedTimestamp, stageTimestamp, ...event } = await api.about(
      headers.get('audit-id'),
    );
    assert.deepEqual(event, {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: headers.get('audit-id'),
      stage: 'ResponseComplete',
      requestURI: `${WIDGETS}/nothing?pretty=1`,
      verb: 'get',
      user: { username: 'jane', uid: '1', groups: ['devs'], extra: { scopes: ['all'] } },
      sourceIPs: ['192.0.2.7', '127.0.0.1'],
      userAgent: 'kubectl/v1',
      objectRef: {
        resource: 'widgets',
        namespace: 'a',
        name: 'nothing',
        apiGroup: 'shop.example.com',
        apiVersion: 'v1',
      },
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: 'widgets.shop.example.com "nothing" not found',
        reason: 'NotFound',
        code: 404,
      },
      annotations: { 'perigee.io/cluster': 'root' },
    });
    assert.match(requestReceivedTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(requestReceivedTimestamp <= stageTimestamp);
  });

  it('calls a request as its client does', async () => {
    await using api = await serveAudited();
    const init = { headers: { 'audit-id': 'mine' } };
    const { headers } = await api.call('GET', '/version', init);
    assert.equal(headers.get('audit-id'), 'mine');
    const { verb, objectRef } = await api.about('mine');
    assert.deepEqual([verb, objectRef], ['get', undefined]);
  });

  it('tells when a watch begins and when it ends', async () => {
    await using api = await serveAudited();
    const watch = await fetch(`${api.server.url}${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
    const id = watch.headers.get('audit-id');
    assert.equal((await api.about(id, 'ResponseStarted')).verb, 'watch');
    await watch.text();
    assert.equal((await api.about(id)).responseStatus?.code, 200);
  });

  it('has what was sent only when asked, and never what may be secret', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { k: 'v' },
    };
    for (const level of ['Metadata', 'Request'] as const) {
      await using api = await serveAudited(level);
      const widget = await api.send('POST', WIDGETS, widgetBody('w'));
      const map = await api.send('POST', CONFIG_MAPS, secret);
      const told = await api.about(widget.headers.get('audit-id'));
      const body = level === 'Request' ? widgetBody('w') : undefined;
      assert.deepEqual([told.level, told.requestObject], [level, body]);
      const hidden = await api.about(map.headers.get('audit-id'));
      assert.equal(hidden.requestObject, undefined);
    }
  });

  it('goes on when it cannot be told', async () => {
    await using api = await serveApi({
      server: {
        audit: {
          to: () => {
            throw new Error('full');
          },
        },
      },
    });
    assert.equal((await api.call('GET', '/version')).code, 200);
    const { text } = await api.call('GET', '/metrics');
    assert.match(text, /^apiserver_audit_error_total\{plugin="function"\} [1-9]/m);
  });

  it('tells who is behind somebody else, and why it was allowed', async () => {
    const ended = Promise.withResolvers<AuditEvent>();
    await using server = await startGuarded({ audit: { to: ended.resolve } });
    const headers = { 'impersonate-user': 'jane' };
    await server.call({ pair: server.pki.admin, headers }, 'GET', '/api/v1/namespaces');
    const event = await ended.promise;
    assert.deepEqual([event.impersonatedUser?.username, event.responseStatus?.code], ['jane', 403]);
    assert.equal('username' in event.user && event.user.username, 'perigee-admin');
    assert.equal(event.annotations?.['authorization.k8s.io/decision'], 'forbid');
  });
});
