import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { createOpenApiV3 } from '../../src/openapi/open-api-v3.ts';
import type { ServedResource } from '../../src/resource/served-resource.ts';
import { kindsAsServed } from '../crd/kinds.ts';
import { referencesIn } from './references.ts';

const openApi = createOpenApiV3(kindsAsServed);
const read = (path: string) => JSON.parse(openApi.document(path)?.body ?? 'null');
const queue = kindsAsServed.find(({ kind }) => kind === 'Queue') as ServedResource;
const podGroup = kindsAsServed.find(({ kind }) => kind === 'PodGroup') as ServedResource;

const ofOnly = (resource: ServedResource) => {
  const { group, version } = resource;
  return JSON.parse(
    createOpenApiV3([resource]).document(`apis/${group}/${version}`)?.body ?? 'null',
  );
};

const names = (parameters: readonly { readonly name: string }[]) =>
  parameters.map(({ name }) => name);

describe('an OpenAPI v3 document', () => {
  const { paths, components } = read('apis/scheduling.volcano.sh/v1beta1');
  const root = '/apis/scheduling.volcano.sh/v1beta1';

  it('has the paths that kube-apiserver 1.36 gives for the same CRDs', () => {
    assert.deepEqual(Object.keys(paths), [
      `${root}/namespaces/{namespace}/podgroups`,
      `${root}/namespaces/{namespace}/podgroups/{name}`,
      `${root}/podgroups`,
      `${root}/queues`,
      `${root}/queues/{name}`,
      `${root}/queues/{name}/status`,
    ]);
  });

  it('names operations as kube-apiserver 1.36 does', () => {
    const ids = Object.values<{ [method: string]: { operationId?: string } }>(paths)
      .flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
      .filter((id) => id !== undefined);
    assert.deepEqual(ids, [
      'listSchedulingVolcanoShV1beta1NamespacedPodGroup',
      'createSchedulingVolcanoShV1beta1NamespacedPodGroup',
      'deleteSchedulingVolcanoShV1beta1CollectionNamespacedPodGroup',
      'readSchedulingVolcanoShV1beta1NamespacedPodGroup',
      'replaceSchedulingVolcanoShV1beta1NamespacedPodGroup',
      'deleteSchedulingVolcanoShV1beta1NamespacedPodGroup',
      'patchSchedulingVolcanoShV1beta1NamespacedPodGroup',
      'listSchedulingVolcanoShV1beta1PodGroupForAllNamespaces',
      'listSchedulingVolcanoShV1beta1Queue',
      'createSchedulingVolcanoShV1beta1Queue',
      'deleteSchedulingVolcanoShV1beta1CollectionQueue',
      'readSchedulingVolcanoShV1beta1Queue',
      'replaceSchedulingVolcanoShV1beta1Queue',
      'deleteSchedulingVolcanoShV1beta1Queue',
      'patchSchedulingVolcanoShV1beta1Queue',
      'readSchedulingVolcanoShV1beta1QueueStatus',
      'replaceSchedulingVolcanoShV1beta1QueueStatus',
      'patchSchedulingVolcanoShV1beta1QueueStatus',
    ]);
  });

  it('lets a client find the patch of a kind, and that it validates fields', () => {
    const { patch } = paths[`${root}/queues/{name}`];
    assert.equal(patch['x-kubernetes-action'], 'patch');
    assert.deepEqual(patch['x-kubernetes-group-version-kind'], {
      group: 'scheduling.volcano.sh',
      version: 'v1beta1',
      kind: 'Queue',
    });
    assert.deepEqual(names(patch.parameters), [
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
    assert.deepEqual(Object.keys(patch.requestBody.content), [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
  });

  it('offers strategic merge patches for built-in kinds only', () => {
    const { patch } = ofOnly({ ...queue, origin: 'built-in' }).paths[`${root}/queues/{name}`];
    assert.ok('application/strategic-merge-patch+json' in patch.requestBody.content);
  });

  it('has the operations that the verbs allow, and no others', () => {
    assert.deepEqual(Object.keys(ofOnly({ ...podGroup, verbs: ['create'] }).paths), [
      `${root}/namespaces/{namespace}/podgroups`,
    ]);
    const item = ofOnly({ ...queue, hasStatus: false, verbs: ['create', 'get'] }).paths;
    assert.deepEqual(Object.keys(item[`${root}/queues`]), ['post', 'parameters']);
    assert.deepEqual(Object.keys(item[`${root}/queues/{name}`]), ['get', 'parameters']);
  });

  it('carries the schema with its extensions, and the common types by reference', () => {
    const schema = components.schemas['sh.volcano.scheduling.v1beta1.Queue'];
    assert.deepEqual(schema['x-kubernetes-group-version-kind'], [
      { group: 'scheduling.volcano.sh', version: 'v1beta1', kind: 'Queue' },
    ]);
    assert.deepEqual(schema.properties.metadata.allOf, [
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
    assert.deepEqual(schema['x-kubernetes-validations'], queue.schema['x-kubernetes-validations']);
    assert.deepEqual(schema.properties.status, queue.schema.properties?.status);
  });

  it('names the types of Kubernetes as Kubernetes does', () => {
    const builtIn = { ...queue, origin: 'built-in', hasStatus: false } as const;
    const core = createOpenApiV3([{ ...builtIn, group: '', version: 'v1', kind: 'Pod' }]);
    const rbac = ofOnly({ ...builtIn, group: 'rbac.authorization.k8s.io', version: 'v1' });
    assert.ok('io.k8s.api.rbac.v1.Queue' in rbac.components.schemas);
    const { schemas } = JSON.parse(core.document('api/v1')?.body ?? 'null').components;
    assert.ok('io.k8s.api.core.v1.Pod' in schemas);
  });

  it('makes an embedded object whole, and says that an int-or-string is either', () => {
    const { components: made } = ofOnly({
      ...queue,
      schema: {
        type: 'object',
        properties: {
          port: { 'x-kubernetes-int-or-string': true },
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
    });
    const { port, template } = made.schemas['sh.volcano.scheduling.v1beta1.Queue'].properties;
    assert.deepEqual(port.anyOf, [{ type: 'integer' }, { type: 'string' }]);
    assert.deepEqual(Object.keys(template.properties), ['apiVersion', 'kind', 'metadata']);
    assert.deepEqual(template.required, ['kind', 'apiVersion']);
  });

  it('refers to a type that contains itself', () => {
    const tree: { type: 'object'; properties: { [name: string]: object } } = {
      type: 'object',
      properties: {},
    };
    tree.properties.left = tree;
    const schema = { type: 'object', properties: { tree } } as const;
    const { schemas } = ofOnly({ ...queue, schema }).components;
    const $ref = '#/components/schemas/sh.volcano.scheduling.v1beta1.Queue.Tree';
    assert.deepEqual(schemas['sh.volcano.scheduling.v1beta1.Queue'].properties.tree, { $ref });
    assert.deepEqual(schemas['sh.volcano.scheduling.v1beta1.Queue.Tree'], {
      type: 'object',
      properties: { left: { $ref } },
    });
  });

  it('answers a scale with the kind of autoscaling', () => {
    const scale = { specReplicasPath: '.spec.weight', statusReplicasPath: '.status.running' };
    const document = ofOnly({ ...queue, scale });
    const { get } = document.paths[`${root}/queues/{name}/scale`];
    const { $ref } = get.responses[200].content['application/json'].schema;
    assert.equal($ref, '#/components/schemas/io.k8s.api.autoscaling.v1.Scale');
    assert.ok('io.k8s.api.autoscaling.v1.Scale' in document.components.schemas);
  });
});

describe('the OpenAPI v3 documents', () => {
  const index = JSON.parse(openApi.index().body);

  it('resolve all of their references, and hold every kind', () => {
    for (const { group, version, kind, listKind } of kindsAsServed) {
      const document = read(`apis/${group}/${version}`);
      const schemas = Object.keys(document.components.schemas);
      for (const reference of new Set(referencesIn(document))) {
        assert.ok(schemas.includes(reference.replace('#/components/schemas/', '')), reference);
      }
      const model = `${group.split('.').reverse().join('.')}.${version}`;
      assert.ok(schemas.includes(`${model}.${kind}`) && schemas.includes(`${model}.${listKind}`));
    }
  });

  it('are listed with the hash that is their ETag', () => {
    const path = 'apis/batch.volcano.sh/v1alpha1';
    const { etag, hash } = openApi.document(path) ?? {};
    assert.equal(etag, `"${hash}"`);
    assert.equal(index.paths[path].serverRelativeURL, `/openapi/v3/${path}?hash=${hash}`);
    const versions = new Set(allKinds.map(({ group, version }) => `${group}/${version}`));
    assert.equal(Object.keys(index.paths).length, versions.size);
  });

  it('are listed under the prefix of a logical cluster', () => {
    const { paths } = JSON.parse(openApi.index('/clusters/member1').body);
    for (const { serverRelativeURL } of Object.values<{ serverRelativeURL: string }>(paths)) {
      assert.match(serverRelativeURL, /^\/clusters\/member1\/openapi\/v3\/apis\//);
    }
  });

  it('keep their hash until their own version changes', () => {
    const changed = kindsAsServed.map((resource) =>
      resource === queue
        ? { ...queue, schema: { ...queue.schema, description: 'Other.' } }
        : resource,
    );
    const after = JSON.parse(createOpenApiV3(changed).index().body);
    const different = Object.keys(index.paths).filter(
      (path) => index.paths[path].serverRelativeURL !== after.paths[path].serverRelativeURL,
    );
    assert.deepEqual(different, ['apis/scheduling.volcano.sh/v1beta1']);
    const reversed = createOpenApiV3([...kindsAsServed].reverse());
    assert.equal(reversed.index().etag, openApi.index().etag);
    assert.notEqual(createOpenApiV3(changed).index().etag, openApi.index().etag);
  });

  it('are made once, whoever serves them', () => {
    const path = 'apis/batch.volcano.sh/v1alpha1';
    assert.equal(createOpenApiV3(kindsAsServed).document(path), openApi.document(path));
  });

  it('are not there for what is not served', () => {
    assert.equal(openApi.document('apis/example.com/v1'), undefined);
  });
});
