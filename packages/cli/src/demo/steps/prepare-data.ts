import { join } from 'node:path';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DemoStep } from '../demo-step.ts';
import type { Stage } from '../stage.ts';

/** The clusters that hold a data source now. */
const clustersWith = async ({ client }: Stage, source: string): Promise<readonly string[]> => {
  const { items } = await client.list(DataSource);
  return items.find(({ metadata }) => metadata.name === source)?.status?.clusters ?? [];
};

export const collectData: DemoStep = {
  title: 'Data lies in one of them',
  stages: [2],
  why: 'A wind farm near Paris wrote a million samples. A DataMigrate brings the files into the cluster there, byte by byte, with checksums. From then on Perigee knows where they are.',
  async play(stage) {
    const { DEMO } = stage.variables;
    await stage.type('kubectl', 'apply', '-f', join(DEMO, 'samples.yaml'));
    await stage.follow('perigee', 'flow', 'show', 'collect', '-w');
    await stage.until('the samples are in paris, and nowhere else', async () => {
      const clusters = await clustersWith(stage, 'fluid-dataset.default.samples');
      return clusters.join() === 'paris';
    });
    await stage.type('perigee', 'data');
  },
};

export const runFlow: DemoStep = {
  title: 'A flow brings the data, and prepares it',
  stages: [2],
  why: 'Three steps, each after the other: migrate the samples from Paris to Tokyo, from cluster to cluster, load them for work, and make features of them with a script of yours. Each runs as a Job where its data is to be, and says how far it is.',
  async play(stage) {
    const { DEMO } = stage.variables;
    await stage.type('kubectl', 'apply', '-f', join(DEMO, 'flow.yaml'));
    await stage.follow('perigee', 'flow', 'show', 'features', '-w');
    await stage.until('the features are in tokyo', async () => {
      const clusters = await clustersWith(stage, 'turbine-features');
      return clusters.join() === 'tokyo';
    });
    if (stage.runsScripts) await stage.type('perigee', 'flow', 'logs', 'dataprocess/prepare');
    await stage.type('perigee', 'data', 'whereis', 'turbines');
  },
};
