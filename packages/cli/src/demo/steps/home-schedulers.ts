import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { DemoStep } from '../demo-step.ts';

/** Whether every cluster has a scheduler in charge, and how many have this one. */
const homes = async (stage: Parameters<DemoStep['play']>[0]): Promise<readonly string[]> => {
  const { items } = await stage.client.list(ClusterRecord);
  return items.map(({ status }) => status?.homeScheduler ?? '');
};

export const homeSchedulers: DemoStep = {
  title: 'Give the clusters a home scheduler',
  why: 'A Scheduler is a process of its own that decides for its share of the clusters. With one of them, it has all.',
  async play(stage) {
    await stage.type('kubectl', 'apply', '-f', 'examples/demo/scheduler1.yaml');
    await stage.until('scheduler1 is at work, and has all five clusters', async () => {
      const all = await homes(stage);
      return all.length === 5 && all.every((home) => home === 'scheduler1');
    });
    await stage.type('perigee', 'ring');
  },
};

export const addScheduler: DemoStep = {
  title: 'Add a scheduler, and see what it takes over',
  why: 'Clusters are shared out anew: as few as possible move, those of one city stay together, and nothing that is placed moves at all.',
  async play(stage) {
    await stage.type('perigee', 'ring', '--what-if', 'join=scheduler2');
    await stage.type('kubectl', 'apply', '-f', 'examples/demo/scheduler2.yaml');
    await stage.until('scheduler2 took clusters over, and every cluster has a home', async () => {
      const all = await homes(stage);
      return all.includes('scheduler2') && all.includes('scheduler1') && !all.includes('');
    });
    await stage.type('perigee', 'ring');
  },
};
