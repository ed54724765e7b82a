import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { applyObject } from '../../src/registry/apply.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { patchObject } from '../../src/registry/patch.ts';
import { updateObject } from '../../src/registry/update.ts';
import { resourceOf, setUpBuiltinApi } from '../kinds/builtin-api.ts';

const WHERE = { namespace: 'default', name: 'x' };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

const metaOf = (object: JsonObject): JsonObject => object.metadata as JsonObject;
const hasCode = (code: number) => (error: unknown) =>
  error instanceof ApiError && error.code === code;

/** Cases that random comparison with kube-apiserver brought up. */
suite('as kube-apiserver does', () => {
  test('an object that goes with its last finalizer gets no new version', async () => {
    const { registry, create } = await setUpBuiltinApi();
    const resource = resourceOf(CONFIG_MAP);
    await create({ ...CONFIG_MAP, metadata: { name: 'x', finalizers: ['example.com/a'] } });
    const { object: doomed } = await deleteObject(registry, resource, WHERE);
    const { finalizers: _, ...metadata } = metaOf(doomed);
    const last = await updateObject(registry, resource, {
      ...WHERE,
      body: { ...doomed, metadata },
    });
    assert.equal(metaOf(last).resourceVersion, metaOf(doomed).resourceVersion);
  });

  test('an empty list of managed fields resets the owners of a built-in object', async () => {
    const { create, update } = await setUpBuiltinApi();
    const created = await create({ ...CONFIG_MAP, data: { a: '1' } });
    assert.notEqual(metaOf(created).managedFields, undefined);
    const metadata = { ...metaOf(created), managedFields: [] };
    const { managedFields } = metaOf(await update({ ...created, metadata }));
    assert.equal(managedFields, undefined);
  });

  test('a lease is replaced only by who knows its version', async () => {
    const { create, update } = await setUpBuiltinApi();
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: {} };
    await create(lease);
    await assert.rejects(update(lease), hasCode(422));
  });

  test('an owner that is named twice is kept once, with a warning', async () => {
    const { registry, create } = await setUpBuiltinApi();
    await create(CONFIG_MAP);
    const warnings: string[] = [];
    const metadata = { name: 'x', ownerReferences: [OWNER, OWNER] };
    const updated = await updateObject(registry, resourceOf(CONFIG_MAP), {
      ...WHERE,
      body: { ...CONFIG_MAP, metadata },
      warn: (text) => warnings.push(text),
    });
    assert.deepEqual(metaOf(updated).ownerReferences, [OWNER]);
    assert.match(warnings.join(), /duplicate UID\(s\) observed: u$/);
  });

  test('an apply that names another uid is invalid', async () => {
    const { registry, create } = await setUpBuiltinApi();
    await create(CONFIG_MAP);
    const config = { ...CONFIG_MAP, metadata: { name: 'x', uid: 'another' } };
    const request = { ...WHERE, config, fieldManager: 'm' };
    await assert.rejects(applyObject(registry, resourceOf(CONFIG_MAP), request), hasCode(422));
  });

  test('an apply needs a manager, whether there is something to apply to or not', async () => {
    const { registry } = await setUpBuiltinApi();
    const request = { ...WHERE, config: CONFIG_MAP, subresource: 'status' };
    await assert.rejects(applyObject(registry, resourceOf(CONFIG_MAP), request), hasCode(422));
  });

  test('a negative grace period of a pod is one second', async () => {
    const { create } = await setUpBuiltinApi();
    const containers = [{ name: 'c', image: 'i' }];
    const spec = { terminationGracePeriodSeconds: -5, containers };
    const created = await create({ apiVersion: 'v1', kind: 'Pod', spec });
    assert.equal((created.spec as JsonObject).terminationGracePeriodSeconds, 1);
  });

  test('who writes an empty list of rules owns it', async () => {
    const { create } = await setUpBuiltinApi();
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] };
    const created = await create(role);
    const [owner] = metaOf(created).managedFields as readonly JsonObject[];
    assert.deepEqual(owner?.fieldsV1, { 'f:rules': {} });
    assert.equal(created.rules, null);
  });

  test('a strategic patch leaves the type alone, others may not take it away', async () => {
    const { registry, create } = await setUpBuiltinApi();
    await create(CONFIG_MAP);
    const patched = (type: 'strategic' | 'merge', patch: JsonObject) =>
      patchObject(registry, resourceOf(CONFIG_MAP), { ...WHERE, type, patch });
    const { kind } = await patched('strategic', { kind: 'Other', data: { a: '1' } });
    assert.equal(kind, 'ConfigMap');
    await assert.rejects(patched('merge', { apiVersion: null }), hasCode(400));
    await assert.rejects(patched('merge', { kind: 'Secret' }), hasCode(422));
  });

  test('who tries to say when an object ends owns that, and changes nothing', async () => {
    const { registry, create } = await setUpBuiltinApi();
    const resource = resourceOf(CONFIG_MAP);
    await create({ ...CONFIG_MAP, metadata: { name: 'x', finalizers: ['example.com/a'] } });
    const { object: doomed } = await deleteObject(registry, resource, WHERE);
    const patch = { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } };
    const request = { ...WHERE, type: 'merge', patch, fieldManager: 'm' } as const;
    const { deletionTimestamp, managedFields } = metaOf(
      await patchObject(registry, resource, request),
    );
    assert.equal(deletionTimestamp, metaOf(doomed).deletionTimestamp);
    const owner = (managedFields as readonly JsonObject[]).find(({ manager }) => manager === 'm');
    assert.deepEqual(owner?.fieldsV1, { 'f:metadata': { 'f:deletionTimestamp': {} } });
  });

  test('who replaces an object that ends and does not say so owns nothing of that', async () => {
    const { registry, create } = await setUpBuiltinApi();
    const resource = resourceOf(CONFIG_MAP);
    const metadata = { name: 'x', finalizers: ['example.com/a'] };
    await create({ ...CONFIG_MAP, metadata });
    await deleteObject(registry, resource, WHERE);
    const patch = { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } };
    const request = { ...WHERE, type: 'merge', patch, fieldManager: 'm' } as const;
    await patchObject(registry, resource, request);
    const body = { ...CONFIG_MAP, metadata };
    const left = await updateObject(registry, resource, { ...WHERE, body });
    const owners = metaOf(left).managedFields as readonly JsonObject[];
    assert.equal(
      owners.find(({ manager }) => manager === 'm'),
      undefined,
    );
    assert.notEqual(metaOf(left).deletionTimestamp, undefined);
  });

  test('a dry run may name a version', async () => {
    const { create } = await setUpBuiltinApi();
    const versioned = { ...CONFIG_MAP, metadata: { name: 'x', resourceVersion: '7' } };
    assert.equal(metaOf(await create(versioned, true)).resourceVersion, '7');
    await assert.rejects(create(versioned), hasCode(400));
  });

  test('nobody changes how long an end takes', async () => {
    const { create, update } = await setUpBuiltinApi();
    const created = await create(CONFIG_MAP);
    const metadata = { ...metaOf(created), deletionGracePeriodSeconds: 5 };
    await assert.rejects(update({ ...created, metadata }), hasCode(422));
  });

  test('a pod that nobody runs is shown as it ends', async () => {
    const { registry, create } = await setUpBuiltinApi();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    await create(pod);
    const { object, isGone } = await deleteObject(registry, resourceOf(pod), WHERE);
    assert.ok(isGone);
    const { generation, deletionGracePeriodSeconds, deletionTimestamp } = metaOf(object);
    assert.deepEqual([generation, deletionGracePeriodSeconds], [2, 0]);
    assert.notEqual(deletionTimestamp, undefined);
  });

  test('a job without labels has those of its pods', async () => {
    const { create } = await setUpBuiltinApi();
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
    const job = await create({ apiVersion: 'batch/v1', kind: 'Job', spec: { template } });
    assert.equal((metaOf(job).labels as JsonObject)['job-name'], 'x');
  });

  test('a patch that makes something unreadable of what its endpoint does not write is refused', async () => {
    const { registry, create } = await setUpBuiltinApi();
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await create(claim);
    const patched = (patch: JsonObject, subresource?: string) => {
      const part = subresource === undefined ? {} : { subresource };
      const request = { ...WHERE, ...part, type: 'strategic', patch } as const;
      return patchObject(registry, resourceOf(claim), request);
    };
    const capacity = { storage: '1Gi' };
    const { spec } = await patched({ status: { capacity } });
    assert.deepEqual(spec, { ...claim.spec, volumeMode: 'Filesystem' });
    const listed = { ...capacity, $retainKeys: ['storage'] };
    await assert.rejects(patched({ status: { capacity: listed } }), hasCode(422));
    await assert.rejects(patched({ spec: { volumeName: 5 } }, 'status'), hasCode(422));
  });
});
