import { parseArgs } from 'node:util';
import { realClock } from '@perigee/kube/clock/real-clock';
import { startControlPlane } from '../../tools/peers/control-plane.ts';
import { compareServers } from './compare-servers.ts';
import { installDefinitions, openEmbeddedPeer, openKubernetesPeer } from './open-peers.ts';

const USAGE = `npm run differential -- [options]

  --peers FOLDER     start the etcd and kube-apiserver of this folder (see tools/peers)
  --kubeconfig FILE  or use this server, by default the one of PERIGEE_TEST_KUBECONFIG
  --operations N     how many operations to compare (2000)
  --seed N           where to begin; a run prints its seed (by the time)
  --length N         operations in a sequence (40)
  --kinds A,B        only these kinds
  --workers N        sequences at a time (2)
  --without-texts    compare what programs act on, not the texts of refusals and warnings
  --collect          go on after a difference, and tell one of each class`;

const { values } = parseArgs({
  options: {
    peers: { type: 'string' },
    kubeconfig: { type: 'string' },
    operations: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Math.floor(realClock.now() / 1000)) },
    length: { type: 'string', default: '40' },
    kinds: { type: 'string' },
    workers: { type: 'string', default: '2' },
    'without-texts': { type: 'boolean', default: false },
    collect: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const compare = async (kubeconfig: string): Promise<number> => {
  await using embedded = await openEmbeddedPeer();
  await using kubernetes = await openKubernetesPeer(kubeconfig);
  await Promise.all([installDefinitions(embedded), installDefinitions(kubernetes)]);
  const seed = Number(values.seed);
  console.log(`${embedded.name} against ${kubernetes.name}, seed ${seed}`);
  let reportedOperations = 0;
  const { operations, sequences, classes, accepted } = await compareServers(
    [embedded, kubernetes],
    {
      seed,
      operations: Number(values.operations),
      length: Number(values.length),
      workers: Number(values.workers),
      collects: values.collect,
      comparesTexts: !values['without-texts'],
      ...(values.kinds === undefined ? {} : { kinds: values.kinds.split(',') }),
      onProgress: (done, found) => {
        if (done - reportedOperations < 2000) return;
        reportedOperations = done;
        console.error(`${done} operations, ${found} classes of differences`);
      },
    },
  );
  for (const { name, count, seed: first, report } of classes) {
    console.log(`\n=== ${count} × ${name}\nseed ${first}\n${report}`);
  }
  for (const [why, count] of accepted) console.log(`accepted ${count} ×: ${why}`);
  console.log(
    `\n${operations} operations in ${sequences} sequences, ${classes.length} classes of differences`,
  );
  return classes.length === 0 ? 0 : 1;
};

const main = async (): Promise<number> => {
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.peers !== undefined) {
    // An exit ends the servers too; a signal alone would leave them behind.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => process.exit(1));
    await using plane = await startControlPlane(values.peers, { isDurable: false });
    return await compare(plane.kubeconfig);
  }
  const kubeconfig = values.kubeconfig ?? process.env.PERIGEE_TEST_KUBECONFIG;
  if (kubeconfig === undefined) {
    console.error(USAGE);
    return 2;
  }
  return await compare(kubeconfig);
};

process.exitCode = await main();
