import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openApiV2 } from '../../src/openapi/open-api-v2.ts';
import type { ServedResource } from '../../src/resource/served-resource.ts';
import { kindsAsServed } from '../crd/kinds.ts';
import { referencesIn } from './references.ts';

const document = JSON.parse(openApiV2(kindsAsServed).body);
const queue = kindsAsServed.find(({ kind }) => kind === 'Queue') as ServedResource;
const queueModel = 'sh.volcano.scheduling.v1beta1.Queue';

describe('the OpenAPI v2 document', () => {
  it('resolves all of its references, and holds every kind', () => {
    const definitions = new Set(Object.keys(document.definitions));
    for (const reference of new Set(referencesIn(document))) {
      assert.ok(definitions.has(reference.replace('#/definitions/', '')), reference);
    }
    for (const { group, version, kind } of kindsAsServed) {
      assert.ok(definitions.has(`${group.split('.').reverse().join('.')}.${version}.${kind}`));
    }
  });

  it('gives an operation in the form of v2', () => {
    const { put } = document.paths['/apis/scheduling.volcano.sh/v1beta1/queues/{name}'];
    assert.deepEqual(put.consumes, ['application/json', 'application/yaml']);
    assert.deepEqual(put.parameters[0], {
      name: 'body',
      in: 'body',
      required: true,
      schema: { $ref: `#/definitions/${queueModel}` },
    });
    assert.equal(put.parameters[1].type, 'string');
    assert.deepEqual(put.responses[201], {
      description: 'Created',
      schema: { $ref: `#/definitions/${queueModel}` },
    });
    assert.deepEqual(put['x-kubernetes-group-version-kind'].kind, 'Queue');
  });

  it('leaves out what v2 cannot say', () => {
    const { definitions } = JSON.parse(
      openApiV2([
        {
          ...queue,
          schema: {
            type: 'object',
            properties: {
              allOf: { type: 'string', nullable: true, not: { enum: ['x'] } },
              port: { 'x-kubernetes-int-or-string': true },
              open: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                required: ['name'],
                properties: { name: { type: 'string' } },
              },
              manifest: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                'x-kubernetes-embedded-resource': true,
              },
            },
          },
        },
      ]).body,
    );
    const { allOf, port, open, manifest, metadata } = definitions[queueModel].properties;
    assert.deepEqual(allOf, { type: 'string' });
    assert.deepEqual(port, { 'x-kubernetes-int-or-string': true });
    assert.deepEqual(open, { 'x-kubernetes-preserve-unknown-fields': true, required: ['name'] });
    assert.deepEqual(manifest, {
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-embedded-resource': true,
    });
    assert.equal(metadata.$ref, '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  });

  it('says nothing of an object that takes everything', () => {
    const schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    } as const;
    const { definitions } = JSON.parse(openApiV2([{ ...queue, schema }]).body);
    const { 'x-kubernetes-group-version-kind': kinds, ...rest } = definitions[queueModel];
    assert.equal(kinds[0].kind, 'Queue');
    assert.deepEqual(rest, { type: 'object' });
  });
});
