import { join } from 'node:path';
import type { DemoStep } from '../demo-step.ts';
import { areReady } from './are-ready.ts';

export const registerClusters: DemoStep = {
  title: 'Register clusters',
  stages: [1],
  why: 'Perigee keeps an inventory: where each cluster is, what it has, what it costs. Three virtual ones are there; two more are registered, one by REST and one by the command line. Kubernetes clusters and OpenStack clouds are registered in the same way.',
  async play(stage) {
    const { PKI, SERVER } = stage.variables;
    await stage.type(
      'curl',
      ...['--silent', '--show-error', '--fail-with-body', '--output', '/dev/null'],
      ...['--cacert', join(PKI, 'ca.crt')],
      ...['--cert', join(PKI, 'admin.crt'), '--key', join(PKI, 'admin.key')],
      ...['--header', 'content-type: application/json', '--data', '@examples/demo/tokyo.json'],
      `${SERVER}/globalscheduler/v1/clusters`,
    );
    await stage.type('perigee', 'register', 'cluster', '-filename', 'examples/demo/paris.yaml');
    await stage.until('all five clusters are Ready', () =>
      areReady(stage.client, ['member1', 'member2', 'member3', 'tokyo', 'paris']),
    );
    await stage.type('perigee', 'list', 'clusters');
  },
};
