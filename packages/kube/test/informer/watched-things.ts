import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { Informer, type InformerOptions } from '../../src/informer/informer.ts';
import { MemoryClient, type MemoryFaults } from '../support/memory-client.ts';
import { MemoryCluster, type WatchListSupport } from '../support/memory-cluster.ts';
import { NewsLog } from './news-log.ts';
import { StepLog } from './step-log.ts';
import { Thing } from './thing.ts';

interface Setting extends Partial<InformerOptions<Thing>> {
  readonly watchList?: WatchListSupport;
  /** Hooks into the informer's calls; the test's own calls are not hit. */
  readonly faults?: MemoryFaults;
}

/** A cluster of things in memory, an informer of them that is not started, and a log of its news. */
export const watchedThings = ({ watchList = 'served', faults, ...options }: Setting = {}) => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Thing], watchList });
  const client = new MemoryClient(cluster);
  const steps = new StepLog();
  const informer = new Informer<Thing>({
    client: new MemoryClient(cluster, faults),
    clock,
    kind: Thing,
    metrics: steps,
    ...options,
  });
  const news = new NewsLog<Thing>();
  informer.addHandler(news);
  return { clock, cluster, client, informer, news, steps };
};
