import { connect, flow } from '@perigee/sdk';

/** Everything here compiles. */
const right = async (): Promise<number> => {
  const perigee = connect({ kubeconfig: 'x' });
  const train = flow('train', {
    datasets: { raw: { mounts: [{ mountPoint: 's3://a/b' }] }, old: 'exists' },
  })
    .migrate({ from: 's3://a/b', to: 'raw' })
    .load({ dataset: 'raw' })
    .load({ name: 'again', dataset: 'old', after: [] })
    .process(async ({ data }) => data.length, { produces: ['made'], after: ['load', 'again'] })
    .process({
      name: 'shell',
      dataset: 'made',
      processor: { script: { image: 'busybox', command: ['sh'], source: 'ls' } },
      after: { step: 'process', affinityStrategy: { policy: 'Prefer' } },
    })
    .backup({ dataset: 'raw', backupPath: 'pvc://a/b', after: { kind: 'DataLoad', name: 'x' } });
  const run = await train.run({ on: perigee });
  for await (const { steps } of run) if (steps[0]?.progress?.percentage === 100) break;
  for await (const { line } of run.logs('shell')) if (line === '') break;
  const any = flow('any').load({ dataset: 'whatever' });
  const claim = await perigee.claims.apply('c', {
    system: 'fluid',
    dataSourceType: 'dataset',
    workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  });
  await perigee.queues.apply('q', { capability: { cpu: '4' } });
  await perigee.triggers.fire('t', { targetSelectors: [{ kind: 'Deployment' }] }, { timeoutMs: 1 });
  await perigee.clusters.register('edge', { region: { region: 'eu' } } as never);
  return (claim.status?.phase ?? '').length + String(await any.plan()).length;
};

void right;
