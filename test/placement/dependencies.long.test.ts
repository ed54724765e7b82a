import { test } from 'node:test';
import { kubectlBinary } from '../clients/client-binaries.ts';
import { openPlacementWorld } from './placement-world.ts';

const { path: kubectl, skip } = kubectlBinary();

const colours =
  "for m in 1 2 3; do kubectl --context=member$m get configmap settings -o 'jsonpath={.data.colour}' 2>/dev/null || printf -- -; printf ' '; done";

test('a ConfigMap goes along with the Deployment that reads it', { skip }, async () => {
  await using world = await openPlacementWorld(kubectl);
  const { run, until, untilSpread } = world;
  await run('kubectl apply -f examples/web-with-settings.yaml');
  await untilSpread('shop', '1/1 1/1 -');
  await until(colours, 'blue blue -');
  await until(
    'kubectl get rb settings-configmap -o jsonpath={.spec.requiredBy[0].name}',
    'shop-deployment',
  );

  await run(`kubectl patch configmap settings --type=merge -p '{"data":{"colour":"green"}}'`);
  await until(colours, 'green green -');

  const names = '/spec/placement/clusterAffinity/clusterNames';
  const move = JSON.stringify([{ op: 'replace', path: names, value: ['member2', 'member3'] }]);
  await run(`kubectl patch propagationpolicy shop --type=json -p '${move}'`);
  await untilSpread('shop', '- 1/1 1/1');
  await until(colours, '- green green');

  const alone = '{"spec":{"propagateDeps":false}}';
  await run(`kubectl patch propagationpolicy shop --type=merge -p '${alone}'`);
  await until(colours, '- - -');
  await untilSpread('shop', '- 1/1 1/1');
});
