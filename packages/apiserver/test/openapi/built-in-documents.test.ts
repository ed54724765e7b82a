import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDiscovery } from '../../src/discovery/discovery.ts';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { createOpenApiV3 } from '../../src/openapi/open-api-v3.ts';
import { referencesIn } from './references.ts';

const openApi = createOpenApiV3(serverResources());
const paths: readonly string[] = Object.keys(JSON.parse(openApi.index().body).paths);
const read = (path: string) => JSON.parse(openApi.document(path)?.body ?? 'null');

const POD = '/api/v1/namespaces/{namespace}/pods/{name}';

describe('the documents of the built-in kinds', () => {
  it('resolve all of their references', () => {
    for (const path of paths) {
      const document = read(path);
      const schemas = new Set(Object.keys(document.components.schemas));
      for (const reference of new Set(referencesIn(document))) {
        assert.ok(schemas.has(reference.replace('#/components/schemas/', '')), reference);
      }
    }
  });

  it('have all verbs of every resource and subresource', () => {
    const METHODS: { readonly [verb: string]: string } = {
      get: 'get',
      update: 'put',
      patch: 'patch',
      create: 'post',
      delete: 'delete',
    };
    for (const { group, version, plural, scope, subresources } of serverResources()) {
      const root = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const space = scope === 'Namespaced' ? '/namespaces/{namespace}' : '';
      const document = read(root);
      for (const { name, verbs } of subresources) {
        const item = document.paths[`/${root}${space}/${plural}/{name}/${name}`];
        const expected = verbs.map((verb) => METHODS[verb]).sort();
        const actual = Object.keys(item).filter((key) => key !== 'parameters');
        assert.deepEqual(actual.sort(), expected, `${plural}/${name}`);
      }
    }
  });

  it('tell streams from objects, and name the kind that a subresource takes', () => {
    const document = read('api/v1');
    const { get } = document.paths[`${POD}/exec`];
    assert.equal(get.operationId, 'connectCoreV1GetNamespacedPodExec');
    assert.equal(get['x-kubernetes-action'], 'connect');
    const { post } = document.paths[`${POD}/eviction`];
    assert.equal(post.operationId, 'createCoreV1NamespacedPodEviction');
    assert.deepEqual(post['x-kubernetes-group-version-kind'], {
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
    });
    const log = document.paths[`${POD}/log`].get.responses[200].content['application/json'];
    assert.deepEqual(log.schema, { type: 'string' });
  });

  it('list subresources of all sorts in discovery', () => {
    const discovery = createDiscovery(serverResources(), { serverAddress: '192.0.2.2:6443' });
    const { resources } = JSON.parse(discovery.document('/api/v1')?.body ?? 'null');
    const names = resources.map(({ name }: { readonly name: string }) => name);
    assert.ok(['pods', 'pods/log', 'pods/exec', 'pods/status'].every((n) => names.includes(n)));
    const eviction = resources.find(({ name }: { name: string }) => name === 'pods/eviction');
    assert.deepEqual(eviction, {
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
  });
});
