import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { DemoStep } from '../demo-step.ts';
import { areReady } from './are-ready.ts';

export const knowTheClusters: DemoStep = {
  title: 'Know the clusters',
  why: 'Perigee keeps an inventory: where each cluster is, what it has, what it costs. These three are virtual: they live in this process, and pods in them become ready without running anything.',
  async play(stage) {
    const { items } = await stage.client.list(ClusterRecord);
    await stage.until('the three clusters are Ready', () =>
      areReady(
        stage.client,
        items.map(({ metadata }) => metadata.name),
      ),
    );
    await stage.type('perigee', 'list', 'clusters');
  },
};
