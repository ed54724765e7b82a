import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { PLUGINS, Provisioners } from '@perigee/controllers/data/provision/provisioners';
import { Metrics } from '@perigee/kube/observe/metrics';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { startControlPlane } from '../support/control-plane.ts';

const trusted = createAuthority('trusted');
const stranger = createAuthority('stranger');
const server = trusted.issue({ commonName: 'hive', usage: 'server', names: ['127.0.0.1'] });
const clientOf = (authority: typeof trusted, commonName: string) =>
  authority.issue({ commonName, usage: 'client' });

const FOUND = { found: true, locality: { clusterNames: ['c1'] } };
const QUESTION = { system: 'hive', dataSourceType: 'table', dataSourceName: 'db.sales' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A provisioner that answers only those who prove who they are, and remembers them. */
const startProvisioner = async () => {
  const callers: string[] = [];
  const tls = { ...server, ca: trusted.cert, requestCert: true, rejectUnauthorized: true };
  const listening = createServer(tls, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    callers.push(String(subject.CN));
    response.setHeader('content-type', 'application/json');
    request.resume().on('end', () => response.end(JSON.stringify(FOUND)));
  });
  listening.listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  const { port } = listening.address() as AddressInfo;
  return {
    callers,
    url: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => listening.close(resolve));
      listening.closeAllConnections();
      await closed;
    },
  };
};

describe('a provisioner behind TLS', () => {
  let hive: Awaited<ReturnType<typeof startProvisioner>>;
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let provisioners: Provisioners;
  const metrics = new Metrics();

  before(async () => {
    hive = await startProvisioner();
    plane = await startControlPlane({ controllers: [] });
    const { client, clock } = plane;
    await client.create(Namespace, { metadata: { name: PLUGINS.namespace } });
    const endpoint = { url: hive.url, tls: { secretRef: { name: 'hive-tls' } } };
    const data = { hive: JSON.stringify({ endpoint }) };
    await client.create(ConfigMap, { metadata: PLUGINS, data });
    await client.create(Secret, {
      metadata: { namespace: PLUGINS.namespace, name: 'hive-tls' },
      data: {},
    } as never);
    provisioners = new Provisioners({ client, clock, metrics });
  });
  after(async () => {
    await provisioners[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
    await hive[Symbol.asyncDispose]();
  });

  /** Asks with what the Secret holds, once the change is known. */
  const askWith = async (files: { readonly [file: string]: string }): Promise<string> => {
    const data = { 'ca.crt': null, 'tls.crt': null, 'tls.key': null };
    const next = Object.fromEntries(
      Object.entries(files).map(([key, text]) => [key, base64(text)]),
    );
    const before = provisioners.of('hive');
    const body = { data: { ...data, ...next } };
    const ref = { namespace: PLUGINS.namespace, name: 'hive-tls' };
    await plane.client.patch(Secret, ref, { type: 'merge', body });
    await plane.settled();
    const found = provisioners.of('hive');
    assert.notEqual(found, before, 'a change of the Secret counts at once');
    assert.ok(found?.provisioner);
    return found.provisioner.ask(QUESTION, undefined, new AbortController().signal).then(
      ({ kind }) => kind,
      (error: Error) => error.message,
    );
  };
  const files = ({ cert, key }: { readonly cert: string; readonly key: string }) => ({
    'tls.crt': cert,
    'tls.key': key,
  });

  it('is asked with the certificate of the Secret, and trusted by its authority', async () => {
    const mine = { 'ca.crt': trusted.cert, ...files(clientOf(trusted, 'perigee')) };
    assert.equal(await askWith(mine), 'found');
    assert.deepEqual(hive.callers, ['perigee']);
    const renewed = { ...mine, ...files(clientOf(trusted, 'perigee-2')) };
    assert.equal(await askWith(renewed), 'found');
    assert.deepEqual(hive.callers, ['perigee', 'perigee-2']);
  });

  it('is not told anything when somebody else answers in its place', async () => {
    const said = await askWith({ 'ca.crt': stranger.cert, ...files(clientOf(trusted, 'perigee')) });
    assert.match(said, /the provisioner of hive/);
    assert.doesNotMatch(said, /127\.0\.0\.1/, 'claims tell it to their owners');
    assert.equal(hive.callers.length, 2);
  });

  it('refuses who has no certificate, or one of strangers', async () => {
    const none = await askWith({ 'ca.crt': trusted.cert });
    assert.match(none, /the provisioner of hive/);
    const strange = { 'ca.crt': trusted.cert, ...files(clientOf(stranger, 'perigee')) };
    assert.match(await askWith(strange), /the provisioner of hive/);
    assert.equal(hive.callers.length, 2);
  });

  it('is counted by what came of it, until it is gone', async () => {
    const counted = () => metrics.expose().match(/^perigee_provisioner_.*(?:total|up)\{.*$/gm);
    assert.deepEqual(counted(), [
      'perigee_provisioner_requests_total{system="hive",outcome="found"} 2',
      'perigee_provisioner_requests_total{system="hive",outcome="unavailable"} 3',
      'perigee_provisioner_up{system="hive"} 0',
    ]);
    await plane.client.patch(ConfigMap, PLUGINS, { type: 'merge', body: { data: { hive: null } } });
    await plane.settled();
    assert.equal(counted(), null);
  });
});
