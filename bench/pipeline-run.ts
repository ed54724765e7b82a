import { setImmediate as turn } from 'node:timers/promises';
import { startPerigee } from '@perigee/host/start-perigee';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { liveBytes } from './live-bytes.ts';
import { playLoad, prepareLoad } from './pipeline-load.ts';
import type { PipelineOrder, PipelineResult } from './pipeline-protocol.ts';
import { storesOf, Writes } from './pipeline-writes.ts';

const play = async ({ deployments, members }: PipelineOrder): Promise<PipelineResult> => {
  const logger = createLogger({ clock, level: 'error' });
  await using perigee = await startPerigee({ members, nodes: 100, clock, logger });
  const { client, server, kubeconfig } = perigee;
  const clients = perigee.members.flatMap(
    ({ metadata }) => server.cluster(metadata.name)?.client ?? [],
  );
  const plane = { client, kubeconfig, members: clients };
  await prepareLoad(plane);
  const stop = new AbortController();
  const bytesBefore = liveBytes();
  const writes = new Writes();
  for (const store of storesOf(perigee)) void writes.follow(store, stop.signal);
  await turn();
  const cpu = process.cpuUsage();
  let costs = { cpuMsOfEach: 0, writesOfEach: 0, bytesOfEach: 0, peakMegabytes: 0 };
  let counts: PipelineResult['writes'] = [];
  const times = await playLoad(plane, deployments, async () => {
    const { user, system } = process.cpuUsage(cpu);
    counts = [...writes.counts].map(([who, count]) => [who, count / deployments] as const);
    costs = {
      cpuMsOfEach: (user + system) / 1000 / deployments,
      writesOfEach: writes.total / deployments,
      peakMegabytes: process.resourceUsage().maxRSS / 1024,
      bytesOfEach: (liveBytes() - bytesBefore) / deployments,
    };
  });
  stop.abort();
  return { ...times, ...costs, writes: counts.toSorted(([, a], [, b]) => b - a) };
};

process.once('message', async (order: PipelineOrder) => {
  process.send?.(await play(order), () => process.exit(0));
});
