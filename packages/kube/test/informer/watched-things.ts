import type { WatchOptions } from '../../src/client/client.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { Informer, type InformerOptions } from '../../src/informer/informer.ts';
import { type MemoryCall, MemoryClient, type MemoryFaults } from '../support/memory-client.ts';
import { MemoryCluster, type WatchListSupport } from '../support/memory-cluster.ts';
import { EventLog } from './event-log.ts';
import { StepLog } from './step-log.ts';
import { at, Thing, thing } from './thing.ts';

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
  const news = new EventLog<Thing>();
  informer.addHandler(news);
  return { clock, cluster, client, informer, news, steps };
};

/** The same with one thing, `a/x`, of which the started informer has told already. */
export const syncedThings = async (options: Setting = {}) => {
  /** From where each watch was opened. */
  const versions: (string | undefined)[] = [];
  const setting = watchedThings({
    ...options,
    faults: {
      before: (call: MemoryCall) => {
        const { resourceVersion } = call.options as WatchOptions;
        if (call.verb === 'watch') versions.push(resourceVersion);
        return options.faults?.before?.(call);
      },
    },
  });
  await setting.client.create(Thing, thing('x'));
  setting.informer.start();
  await setting.clock.advance(0);
  setting.news.take();
  setting.steps.take();
  const grow = (name: string, size: number) =>
    setting.client.patch(Thing, at(name), { type: 'merge', body: { spec: { size } } });
  return { ...setting, versions, grow };
};
