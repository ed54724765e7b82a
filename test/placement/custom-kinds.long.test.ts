import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const widget = `
apiVersion: example.com/v1
kind: Widget
metadata: { name: round }
spec: { size: 3 }`;

const sizes =
  "for m in 1 2 3; do kubectl --context=member$m get widgets round -o 'jsonpath={.spec.size}' 2>/dev/null || printf -- -; printf ' '; done";

test('a kind goes to clusters with its objects, which wait for it', { skip }, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, apply } = world;
  await run('kubectl apply -f examples/widgets.yaml');
  await run('kubectl wait crd/widgets.example.com --for=condition=Established --timeout=30s');
  await apply(widget);
  await until(sizes, '3 3 -');
  await run(`kubectl patch widget round --type=merge -p '{"spec":{"size":4}}'`);
  await until(sizes, '4 4 -');
  const warned =
    "kubectl get events -A --field-selector=reason=SyncFailed -o 'jsonpath={.items[*].message}'";
  assert.doesNotMatch(await run(warned), /has been modified/, 'conflicts are not worth a warning');

  await run('kubectl delete widget round');
  await until(sizes, '- - -');
  await run('kubectl delete -f examples/widgets.yaml --timeout=30s');
  await until(
    'for m in 1 2 3; do kubectl --context=member$m get crd -o name | grep widgets; done',
    '',
  );
  await until('kubectl get rb,crb,works -A -o name', '');
});
