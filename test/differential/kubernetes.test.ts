import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareServers } from './compare-servers.ts';
import { installDefinitions, openEmbeddedPeer, openKubernetesPeer } from './open-peers.ts';

const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG;
const skip = kubeconfig
  ? false
  : 'set PERIGEE_TEST_KUBECONFIG to a throw-away server; tools/peers/README.md says how to start one';
const operations = Number(process.env.PERIGEE_TEST_OPERATIONS ?? 2000);
const seed = Number(process.env.PERIGEE_SEED ?? 20_261_115);

/** Kinds whose whole behaviour is that of the generic machinery. */
const KINDS = ['ConfigMap', 'Secret', 'ServiceAccount', 'Widget', 'Bag', 'Shape'];

test('the embedded server does what kube-apiserver does', { skip }, async () => {
  await using embedded = await openEmbeddedPeer();
  await using kubernetes = await openKubernetesPeer(kubeconfig ?? '');
  await Promise.all([installDefinitions(embedded), installDefinitions(kubernetes)]);
  const { classes } = await compareServers([embedded, kubernetes], {
    seed,
    operations,
    length: 40,
    workers: 2,
    kinds: KINDS,
    collects: false,
    comparesTexts: false,
  });
  assert.deepEqual(
    classes.map(({ report }) => report),
    [],
    `seed ${seed}`,
  );
});
