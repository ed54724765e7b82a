import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { DemoStep } from '../demo-step.ts';
import type { Stage } from '../stage.ts';

/** The home scheduler of each cluster; empty if none is assigned yet. */
const homesOf = async ({ client }: Stage): Promise<readonly string[]> => {
  const { items } = await client.list(ClusterRecord);
  return items.map(({ status }) => status?.homeScheduler ?? '');
};

export const shareClusters: DemoStep = {
  title: 'Share them out among schedulers',
  stages: [1],
  why: 'A Scheduler is a process of its own that decides for its share of the clusters. When one comes or goes, as few clusters as possible move, those of one place stay together, and nothing that is placed moves at all.',
  async play(stage) {
    await stage.type('kubectl', 'apply', '-f', 'examples/demo/scheduler1.yaml');
    await stage.type('kubectl', 'apply', '-f', 'examples/demo/scheduler2.yaml');
    await stage.until('both schedulers are at work, and every cluster has a home', async () => {
      const homes = await homesOf(stage);
      return (
        ['scheduler1', 'scheduler2'].every((one) => homes.includes(one)) && !homes.includes('')
      );
    });
    await stage.type('perigee', 'ring');
  },
};
