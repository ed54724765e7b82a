import { join } from 'node:path';
import type { DemoStep } from '../demo-step.ts';
import { areReady } from './are-ready.ts';

export const registerClusters: DemoStep = {
  title: 'Register two more: one by REST, one by the command line',
  why: 'A cluster is registered with a description of it. Kubernetes clusters are reached by a kubeconfig in a Secret, and OpenStack by its own API; here they are virtual again. Only administrators may do this.',
  async play(stage) {
    const { PKI, SERVER } = stage.variables;
    await stage.type(
      'curl',
      ...['--silent', '--show-error', '--fail-with-body'],
      ...['--cacert', join(PKI, 'ca.crt')],
      ...['--cert', join(PKI, 'admin.crt'), '--key', join(PKI, 'admin.key')],
      ...['--header', 'content-type: application/json', '--data', '@examples/demo/tokyo.json'],
      `${SERVER}/globalscheduler/v1/clusters`,
    );
    await stage.type('perigee', 'register', 'cluster', '-filename', 'examples/demo/paris.yaml');
    await stage.until('tokyo and paris are Ready', () =>
      areReady(stage.client, ['tokyo', 'paris']),
    );
    await stage.type('perigee', 'get', 'cluster', '-name', 'paris');
  },
};
