import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { Pod } from '@perigee/kubernetes/core/pod';
import { openStage, type Result, type Stage } from './command-line.ts';

/** Clears the screen, colours what follows, sets the title of the window, and begins a line that looks like ours. */
const EVIL = 'x\u001b[2J\u009b31m\u001b]0;owned\u0007\nperigee: all is well';

let stage: Stage;
const run = (line: string): Promise<Result> => stage.run(line.split(' '));

const create = async (kind: ResourceKind, object: object, status: object): Promise<void> => {
  const { client } = stage.server;
  const { metadata } = await client.create(kind, object as never);
  const { name, namespace } = metadata;
  const ref = namespace === undefined ? { name } : { name, namespace };
  await client.patch(kind, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
};

const conditions = (type: string) => [
  {
    type,
    status: 'False',
    reason: 'NoClusterFit',
    message: EVIL,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  },
];

before(async () => {
  stage = await openStage();
  const { client } = stage.server;
  const namespace = 'default';
  await create(
    ClusterRecord,
    { metadata: { name: 'c1' }, spec: { region: { region: EVIL }, operator: { operator: EVIL } } },
    { phase: 'Unreachable', conditions: conditions('Ready') },
  );
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  await create(
    ResourceBinding,
    { metadata: { namespace, name: 'web-deployment' }, spec: { resource } },
    { conditions: conditions('Scheduled') },
  );
  const dataset = { dataset: { name: 'raw', namespace }, target: [{ path: '/' }] };
  await create(
    DataLoad,
    { metadata: { namespace, name: 'warm' }, spec: dataset },
    { phase: 'Failed', conditions: conditions('Failed') },
  );
  await client.create(DataSource, {
    metadata: { name: 'sales' },
    spec: { system: 'hive', type: 'table', name: EVIL, locality: { clusterNames: ['c1'] } },
  } as never);
  const owner = { apiVersion: 'example.com/v1', kind: EVIL, name: EVIL, uid: 'u1' };
  await client.create(Pod, {
    metadata: { namespace, name: 'p', ownerReferences: [{ ...owner, controller: true }] },
    spec: { containers: [{ name: 'c', image: 'i' }], schedulerName: EVIL.split('\n')[0] ?? '' },
  } as never);
});
after(() => stage[Symbol.asyncDispose]());

describe('text of others', () => {
  const lines = [
    'status',
    'top',
    'list clusters -o wide',
    'explain deployment/web',
    'history deployment/web',
    'queue why web',
    'data',
    'data whereis sales',
    'flow show warm',
    'explain dataload/warm',
    'explain cluster/c1',
    'lineage pod/p',
  ];
  for (const line of lines) {
    it(`cannot command the terminal by perigee ${line}`, async () => {
      const { stdout, stderr } = await run(line);
      assert.notEqual(stdout + stderr, '');
      for (const text of [stdout, stderr]) {
        assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
        assert.doesNotMatch(text, /^perigee: all is well/m);
      }
    });
  }
});
