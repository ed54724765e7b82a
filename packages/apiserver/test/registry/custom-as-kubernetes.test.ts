import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { applyObject } from '../../src/registry/apply.ts';
import { createObject } from '../../src/registry/create.ts';
import { patchObject } from '../../src/registry/patch.ts';
import type { ServedResource } from '../../src/resource/served-resource.ts';
import { at, refused, setUpApi, widgets } from './registry-fixture.ts';

const BOXES_SPEC: StructuralSchema = {
  type: 'object',
  properties: {
    limits: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    text: { type: 'string' },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
};

const boxes: ServedResource = {
  ...widgets,
  schema: { type: 'object', properties: { spec: BOXES_SPEC } },
};

const TYPE = { apiVersion: 'shop.example.com/v1', kind: 'Widget' };

const boxOf = (spec: JsonObject, meta: JsonObject = {}): JsonObject => ({
  ...TYPE,
  metadata: { name: 'x', ...meta },
  spec,
});

const setUp = async () => {
  const { registry } = await setUpApi();
  const apply = async (spec: JsonObject) => {
    const request = { ...at('x'), config: boxOf(spec), fieldManager: 'm' };
    return (await applyObject(registry, boxes, request)).object;
  };
  const create = (spec: JsonObject) =>
    createObject(registry, boxes, { namespace: 'a', body: boxOf(spec) });
  return { registry, apply, create };
};

/** Cases about custom resources that random comparison with kube-apiserver brought up. */
suite('custom resources, as kube-apiserver treats them', () => {
  test('a map that an apply has emptied is null, and refused where null may not be', async () => {
    const { apply } = await setUp();
    await apply({ limits: { a: '1' } });
    const message = /spec\.limits in body must be of type object: "null"/;
    await assert.rejects(apply({ limits: {} }), refused(422, 'Invalid', message));
  });

  test('where anything may be, the null stays', async () => {
    const { apply } = await setUp();
    await apply({ free: { a: { b: 1 } } });
    assert.deepEqual((await apply({ free: { a: {} } })).spec, { free: { a: null } });
  });

  test('an apply of null is refused, a creation with it leaves it out', async () => {
    const { apply, create } = await setUp();
    await assert.rejects(apply({ text: null }), refused(422, 'Invalid', /of type string: "null"/));
    assert.deepEqual((await create({ text: null })).spec, {});
  });

  test('the metadata of what is carried whole must be metadata', async () => {
    const { create } = await setUp();
    const template = { ...TYPE, metadata: { labels: { a: 5 } } };
    const message =
      'Widget in version "v1" cannot be handled as a Widget: spec.template.metadata: Invalid value: ' +
      '{"labels":{"a":5}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string';
    await assert.rejects(create({ template }), refused(400, 'BadRequest', message));
    const odd = { template: { ...TYPE, apiVersion: 5 } };
    await assert.rejects(create(odd), refused(400, 'BadRequest', /apiVersion: Invalid value: 5/));
  });

  test('a uid that comes with the status is not read', async () => {
    const { registry, create } = await setUp();
    await create({});
    const patch = { metadata: { uid: 'another' }, status: { phase: 'Ready' } };
    const request = { ...at('x'), type: 'merge', patch } as const;
    const status = { ...request, subresource: 'status' };
    const kept = await patchObject(registry, widgets, status);
    assert.deepEqual(kept.status, { phase: 'Ready' });
    await assert.rejects(patchObject(registry, widgets, request), refused(422, 'Invalid'));
  });

  test('who writes a scale says no more than a scale has', async () => {
    const { registry, create } = await setUp();
    await create({});
    const patch = { spec: { replicas: 1, bogus: 2 } };
    const request = { ...at('x'), type: 'merge', patch, subresource: 'scale' } as const;
    const strict = { ...request, fieldValidation: 'Strict' } as const;
    const message = /strict decoding error: unknown field "spec.bogus"$/;
    await assert.rejects(patchObject(registry, widgets, strict), refused(422, 'Invalid', message));
    const text = { ...request, patch: { spec: { replicas: 'x' } } };
    const mistyped = /json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas/;
    await assert.rejects(patchObject(registry, widgets, text), refused(422, 'Invalid', mistyped));
  });

  test('what is null in metadata belongs to whoever applies it', async () => {
    const { registry } = await setUp();
    const config = boxOf({}, { labels: null });
    const request = { ...at('x'), config, fieldManager: 'm' };
    const { object } = await applyObject(registry, boxes, request);
    const { labels, managedFields } = object.metadata as JsonObject;
    assert.equal(labels, undefined);
    const [owner] = managedFields as unknown as readonly JsonObject[];
    assert.deepEqual(owner?.fieldsV1, { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} });
  });

  test('null says nothing about labels that are there, and changes the object where none are', async () => {
    const { registry } = await setUp();
    const owned = async (
      fieldManager: string,
      meta: JsonObject,
    ): Promise<JsonObject | undefined> => {
      const config = boxOf({}, meta);
      const { object } = await applyObject(registry, boxes, { ...at('x'), config, fieldManager });
      const { managedFields } = object.metadata as JsonObject;
      return (managedFields as unknown as readonly JsonObject[]).find(
        ({ manager }) => manager === fieldManager,
      );
    };
    await owned('first', { labels: { a: 'b' } });
    assert.equal((await owned('second', { labels: null }))?.time, undefined);
    assert.notEqual((await owned('third', { annotations: null }))?.time, undefined);
  });

  suite('what an apply says beside a status', () => {
    const status = { replicas: 1 };
    const set = async (labels: JsonObject = {}) => {
      const { registry } = await setUpApi();
      const applied = async (fieldManager: string, metadata: JsonObject) => {
        const config = { ...TYPE, metadata: { name: 'x', ...metadata }, status };
        const request = { ...at('x'), subresource: 'status', config, fieldManager };
        const { object } = await applyObject(registry, widgets, request);
        const { managedFields, ...shown } = object.metadata as JsonObject;
        const owner = (managedFields as readonly JsonObject[]).find(
          ({ manager }) => manager === fieldManager,
        );
        return { time: owner?.time, fields: owner?.fieldsV1, shown };
      };
      const { metadata, ...rest } = boxOf({});
      const body = { ...rest, metadata: { ...(metadata as JsonObject), labels } };
      await createObject(registry, widgets, { namespace: 'a', body });
      return applied;
    };

    test('no owners and no namespace are something new', async () => {
      const applied = await set();
      assert.notEqual((await applied('first', {})).time, undefined);
      assert.equal((await applied('second', {})).time, undefined);
      assert.notEqual((await applied('third', { managedFields: null })).time, undefined);
      assert.notEqual((await applied('fourth', { namespace: '' })).time, undefined);
      assert.notEqual((await applied('fifth', { namespace: null })).time, undefined);
    });

    test('`creationTimestamp: null` and the like are something new, belong to nobody and take nothing away', async () => {
      const applied = await set();
      const { shown: before } = await applied('first', {});
      for (const name of ['creationTimestamp', 'uid', 'labels', 'finalizers']) {
        const { time, fields, shown } = await applied(name, { [name]: null });
        assert.notEqual(time, undefined, name);
        assert.deepEqual(fields, { 'f:status': { 'f:replicas': {} } });
        const { resourceVersion } = shown;
        assert.deepEqual(shown, { ...before, resourceVersion: resourceVersion ?? null });
        const again = await applied(name, { [name]: null });
        assert.equal(again.shown.resourceVersion, resourceVersion);
      }
    });

    test('labels that are null are nothing new to what has labels', async () => {
      const applied = await set({ a: 'b' });
      await applied('first', {});
      const { time, shown } = await applied('second', { labels: null });
      assert.equal(time, undefined);
      assert.deepEqual(shown.labels, { a: 'b' });
    });
  });

  test('an apply that creates says nothing by a version', async () => {
    const { registry } = await setUp();
    const config = boxOf({}, { resourceVersion: '7' });
    const request = { ...at('x'), config, fieldManager: 'm' };
    const { created } = await applyObject(registry, boxes, request);
    assert.equal(created, true);
  });

  test('a patch cannot make it another kind', async () => {
    const { registry, create } = await setUp();
    await create({});
    const patched = (patch: JsonObject) =>
      patchObject(registry, boxes, { ...at('x'), type: 'merge', patch });
    const other =
      'Other.shop.example.com "x" is invalid: kind: Invalid value: "Other": must be Widget';
    await assert.rejects(patched({ kind: 'Other' }), refused(422, 'Invalid', other));
    await assert.rejects(patched({ kind: null }), refused(422, 'Invalid', /'Kind' is missing in/));
    await assert.rejects(patched({ apiVersion: null }), refused(400, 'BadRequest'));
  });

  test('how many replicas it wants must be a count', async () => {
    const { registry } = await setUp();
    const body = { ...TYPE, metadata: { name: 'x' }, spec: 'text' };
    const message =
      /\.spec\.replicas: Invalid value: 0: \.spec\.replicas accessor error: text is of the type string, expected map\[string\]interface\{\}/;
    const request = { namespace: 'a', body };
    await assert.rejects(createObject(registry, boxes, request), refused(422, 'Invalid', message));
  });
});
