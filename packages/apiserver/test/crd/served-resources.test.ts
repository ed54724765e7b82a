import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { JsonObject } from '@perigee/schema/json';
import { defaultCrd, prepareCrd } from '../../src/crd/default-crd.ts';
import { servedResources } from '../../src/crd/served-resources.ts';
import { kindsAsServed } from './kinds.ts';
import { widgetCrd, widgetVersion } from './widget-crd.ts';

const serve = (crd: JsonObject) => servedResources(defaultCrd(crd));

describe('the defaults of a CRD', () => {
  it('are the names that follow from its kind, and no conversion', () => {
    const { names, conversion } = defaultCrd(widgetCrd()).spec as JsonObject;
    assert.deepEqual(names, {
      plural: 'widgets',
      kind: 'Widget',
      singular: 'widget',
      listKind: 'WidgetList',
    });
    assert.deepEqual(conversion, { strategy: 'None' });
  });

  it('give the service of a webhook its port', () => {
    const webhook = (port?: number): JsonObject => ({
      conversionReviewVersions: ['v1'],
      clientConfig: { service: { name: 'a', namespace: 'b', ...(port ? { port } : {}) } },
    });
    const of = (port?: number) =>
      defaultCrd(widgetCrd({ conversion: { strategy: 'Webhook', webhook: webhook(port) } })).spec;
    assert.deepEqual((of() as JsonObject).conversion, {
      strategy: 'Webhook',
      webhook: webhook(443),
    });
    assert.deepEqual((of(8443) as JsonObject).conversion, {
      strategy: 'Webhook',
      webhook: webhook(8443),
    });
  });

  it('change nothing that is there', () => {
    const crd = defaultCrd(widgetCrd());
    assert.deepEqual(defaultCrd(crd), crd);
  });
});

describe('what is stored of a CRD', () => {
  it('has the status of the server, not of the user', () => {
    const crd = widgetCrd({}, { status: { conditions: [], storedVersions: ['v9'] } });
    assert.deepEqual(prepareCrd(crd).status, { storedVersions: ['v1'] });
    const old = widgetCrd({}, { status: { acceptedNames: {}, storedVersions: ['v1'] } });
    assert.equal(prepareCrd(crd, old).status, old.status);
  });

  it('remembers all versions in which objects were stored', () => {
    const old = prepareCrd(widgetCrd());
    const moved = widgetCrd({
      versions: [widgetVersion({ storage: false }), widgetVersion({ name: 'v2' })],
    });
    assert.deepEqual(prepareCrd(moved, old).status, { storedVersions: ['v1', 'v2'] });
  });
});

describe('what a CRD makes the server serve', () => {
  it('is each version that it says', () => {
    const resources = serve(
      widgetCrd({
        versions: [
          widgetVersion({ storage: false }),
          widgetVersion({ name: 'v2' }),
          widgetVersion({ name: 'v3', served: false, storage: false }),
        ],
      }),
    );
    assert.deepEqual(
      resources.map(({ version, storage }) => [version, storage.version]),
      [
        ['v1', 'v2'],
        ['v2', 'v2'],
      ],
    );
  });

  it('shows the age when it names no columns', () => {
    const [resource] = serve(widgetCrd());
    assert.deepEqual(
      resource?.columns.map(({ name, type }) => [name, type]),
      [['Age', 'date']],
    );
  });

  it('has its columns, subresources and selectable fields', () => {
    const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
    const [resource] = serve(
      widgetCrd({
        scope: 'Cluster',
        versions: [
          widgetVersion({
            additionalPrinterColumns: [
              { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
            ],
            subresources: { status: {}, scale },
            selectableFields: [{ jsonPath: '.spec.size' }],
          }),
        ],
      }),
    );
    assert.deepEqual(resource?.columns, [
      { name: 'Size', type: 'integer', path: '.spec.size', doc: '', priority: 1 },
    ]);
    assert.equal(resource?.scope, 'Cluster');
    assert.equal(resource?.hasStatus, true);
    assert.deepEqual(resource?.scale, scale);
    assert.deepEqual(resource?.strategy, { selectableFields: ['spec.size'] });
  });

  it('has the names that were accepted', () => {
    const acceptedNames = { plural: 'widgets', kind: 'Widget', singular: 'old', listKind: 'Old' };
    const [resource] = serve(widgetCrd({}, { status: { acceptedNames } }));
    assert.equal(resource?.singular, 'old');
  });

  it('takes no new objects while it is deleted', () => {
    const conditions = [{ type: 'Terminating', status: 'True' }];
    const [resource] = serve(widgetCrd({}, { status: { conditions } }));
    assert.deepEqual(resource?.verbs, ['delete', 'deletecollection', 'get', 'list', 'watch']);
  });

  it('is every kind of the language', () => {
    assert.equal(kindsAsServed.length, allKinds.length);
    for (const [at, kind] of allKinds.entries()) {
      const served = kindsAsServed[at];
      assert.equal(served?.kind, kind.kind);
      assert.equal(served?.schema, kind.inputSchema);
      assert.equal(served?.columns.at(-1)?.name, 'Age');
    }
  });
});
