import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { serveApi } from '../http/http-fixture.ts';

const POD = '/api/v1/namespaces/a/pods/p';
const STRATEGIC = 'application/strategic-merge-patch+json';
const MERGE = 'application/merge-patch+json';

const withPod = async () => {
  const api = await serveApi({ resources: serverResources() });
  await api.send('POST', '/api/v1/namespaces/a/pods', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
  });
  return api;
};

/** Of a key that nobody kept. */
const REQUEST = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----
MIHRMHoCAQAwGDEKMAgGA1UECgwBZzEKMAgGA1UEAwwBdTBZMBMGByqGSM49AgEG
CCqGSM49AwEHA0IABBrQwPljG3n79QVLfkdArdQtDhXfnouqLcW2LOuHl2NYcFUO
YsTIyZPX/lhhuM2FVjxinrts0tPfHRUmoFKEyDugADAKBggqhkjOPQQDAgNHADBE
AiBMJmrOyb8nlQ/AOuKrIObBykXZkgL+EIG7ORrgO5eCxAIgB4Rc6DZkymC+sRIN
Nvwbpyvwbqri7RLKaBvHDfKsFNk=
-----END CERTIFICATE REQUEST-----
`,
).toString('base64');

describe('subresources that change a part of an object', () => {
  it('add containers for debugging to a pod', async () => {
    await using api = await withPod();
    const patch = (
      spec: JsonObject,
      contentType = STRATEGIC,
      path = `${POD}/ephemeralcontainers`,
    ) => api.send('PATCH', path, { spec, metadata: { labels: { x: 'y' } } }, contentType);
    const added = await patch({ ephemeralContainers: [{ name: 'e', image: 'x' }] });
    const { spec, metadata } = added.body as { spec: JsonObject; metadata: JsonObject };
    assert.deepEqual(
      (spec.ephemeralContainers as unknown as JsonObject[]).map(({ name }) => name),
      ['e'],
    );
    assert.deepEqual([metadata.generation, metadata.labels], [2, undefined]);
    const changed = await patch({ ephemeralContainers: [{ name: 'e', image: 'z' }] });
    assert.match(
      String(changed.body.message),
      /existing ephemeral containers "e" may not be changed/,
    );
    const removed = await patch({ ephemeralContainers: null }, MERGE);
    assert.match(
      String(removed.body.message),
      /existing ephemeral containers "e" may not be removed/,
    );
    const other = await patch({ ephemeralContainers: [{ name: 'f', image: 'x' }] }, STRATEGIC, POD);
    assert.equal(other.code, 422);
  });

  it('resize a pod, and change nothing else of it', async () => {
    await using api = await withPod();
    const containers = [{ name: 'c', image: 'other', resources: { requests: { cpu: '2' } } }];
    const { body } = await api.send('PATCH', `${POD}/resize`, { spec: { containers } }, STRATEGIC);
    const [container] = (body.spec as { containers: JsonObject[] }).containers;
    assert.deepEqual([container?.image, container?.resources], ['i', { requests: { cpu: '2' } }]);
    const more = [{ name: 'c', resources: { requests: { cpu: '3' } } }];
    const direct = await api.send('PATCH', POD, { spec: { containers: more } }, STRATEGIC);
    assert.equal(direct.code, 422);
  });

  it('approve a request for a certificate, and nothing else may', async () => {
    await using api = await serveApi({ resources: serverResources() });
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    await api.send('POST', path, {
      metadata: { name: 'r' },
      spec: { request: REQUEST, signerName: 'example.com/x', usages: ['client auth'] },
    });
    const approve = (part: string, ...types: readonly string[]) => {
      const conditions = types.map((type) => ({ type, status: 'True' }));
      return api.send('PATCH', `${path}/r/${part}`, { status: { conditions } }, MERGE);
    };
    const early = await approve('status', 'Approved');
    assert.match(String(early.body.message), /updates may not add a condition of type "Approved"/);
    const approved = await approve('approval', 'Approved');
    assert.equal(approved.code, 200);
    const both = await approve('approval', 'Approved', 'Denied');
    assert.match(String(both.body.message), /mutually exclusive/);
    const none = await approve('approval');
    assert.match(
      String(none.body.message),
      /updates may not remove a condition of type "Approved"/,
    );
  });

  it('scale what selects its pods', async () => {
    await using api = await serveApi({ resources: serverResources() });
    const template = {
      metadata: { labels: { b: '2', a: '1' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const path = '/api/v1/namespaces/a/replicationcontrollers';
    await api.send('POST', path, {
      metadata: { name: 'r' },
      spec: { selector: { b: '2', a: '1' }, template },
    });
    const scale = `${path}/r/scale`;
    const { body } = await api.call('GET', scale);
    assert.deepEqual(body.status, { replicas: 0, selector: 'a=1,b=2' });
    const none = await api.send('PATCH', scale, { spec: { replicas: 0 } }, MERGE);
    assert.deepEqual(none.body.spec, {});
  });

  it('warn of kinds that are to go', async () => {
    await using api = await serveApi({ resources: serverResources() });
    const { headers } = await api.call('GET', '/api/v1/namespaces/a/endpoints');
    assert.equal(
      headers.get('warning'),
      '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
    );
  });

  it('create leases by an update', async () => {
    await using api = await serveApi({ resources: serverResources() });
    const put = (path: string, meta: JsonObject = {}) =>
      api.send('PUT', path, { metadata: { name: 'x', ...meta } });
    const lease = '/apis/coordination.k8s.io/v1/namespaces/a/leases/x';
    assert.equal((await put(lease, { uid: 'other' })).code, 409);
    assert.equal((await put(lease, { resourceVersion: '5' })).code, 201);
    assert.equal((await put('/api/v1/namespaces/a/configmaps/x')).code, 404);
  });
});
