import { at, type Field, type KindPool, pool } from './kind-pool.ts';
import { podBadUnder, podFieldsUnder, TEMPLATE } from './pod-parts.ts';

const LEAST = { spec: { selector: { matchLabels: { app: 'a' } }, template: TEMPLATE } };
const TEMPLATE_FIELDS: readonly Field[] = [
  ...podFieldsUnder('spec.template.spec'),
  at('spec.template.metadata.annotations', { rev: '1' }, { rev: '2', more: 'x' }),
  at('spec.template.metadata.labels', { app: 'a' }, { app: 'a', tier: 'web' }),
];
const TEMPLATE_BAD: readonly Field[] = [
  ...podBadUnder('spec.template.spec'),
  at('spec.template.metadata.labels', { app: 'other' }, {}),
  at('spec.selector.matchLabels', { app: 'other' }, {}),
  at('spec.template.spec.restartPolicy', 'Never'),
];
const CONDITIONS = at(
  'status.conditions',
  [{ type: 'Available', status: 'True', reason: 'Yes', message: 'all there' }],
  [
    { type: 'Available', status: 'False' },
    { type: 'Progressing', status: 'Unknown' },
  ],
);
const JOB_TEMPLATE = {
  spec: { containers: [{ name: 'c', image: 'img' }], restartPolicy: 'Never' },
};

export const WORKLOAD_POOLS: readonly KindPool[] = [
  pool('apps/v1 Deployment deployments', {
    least: LEAST,
    scale: true,
    fields: [
      ...TEMPLATE_FIELDS,
      at('spec.replicas', 0, 1, 3),
      at('spec.strategy', { type: 'Recreate' }, { rollingUpdate: { maxSurge: 2 } }),
      at('spec.strategy.rollingUpdate.maxUnavailable', '50%', 1),
      at('spec.paused', true, false),
      at('spec.minReadySeconds', 5),
      at('spec.revisionHistoryLimit', 2),
    ],
    bad: [
      ...TEMPLATE_BAD,
      at('spec.replicas', -1, 'three', 1.5),
      at('spec.strategy.type', 'Gently'),
      at('spec.progressDeadlineSeconds', 0),
    ],
    status: [at('status.replicas', 1, 2), at('status.observedGeneration', 1), CONDITIONS],
  }),
  pool('apps/v1 ReplicaSet replicasets', {
    least: LEAST,
    scale: true,
    fields: [...TEMPLATE_FIELDS, at('spec.replicas', 0, 2), at('spec.minReadySeconds', 1)],
    bad: [...TEMPLATE_BAD, at('spec.replicas', -1)],
    status: [at('status.replicas', 1, 2), at('status.readyReplicas', 1, 3), CONDITIONS],
  }),
  pool('apps/v1 StatefulSet statefulsets', {
    least: LEAST,
    scale: true,
    fields: [
      ...TEMPLATE_FIELDS,
      at('spec.replicas', 0, 2),
      at('spec.serviceName', 'svc'),
      at('spec.updateStrategy', { type: 'OnDelete' }, { rollingUpdate: { partition: 1 } }),
      at('spec.volumeClaimTemplates', [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ]),
      at('spec.persistentVolumeClaimRetentionPolicy', { whenDeleted: 'Delete' }),
    ],
    bad: [...TEMPLATE_BAD, at('spec.podManagementPolicy', 'Parallel', 'Chaotic')],
    status: [at('status.replicas', 1, 2), at('status.currentRevision', 'r1'), CONDITIONS],
  }),
  pool('apps/v1 DaemonSet daemonsets', {
    least: LEAST,
    fields: [
      ...TEMPLATE_FIELDS,
      at('spec.updateStrategy', { type: 'OnDelete' }, { rollingUpdate: { maxUnavailable: 2 } }),
      at('spec.minReadySeconds', 3),
    ],
    bad: [...TEMPLATE_BAD, at('spec.updateStrategy.type', 'Slowly')],
    status: [
      at('status.currentNumberScheduled', 1),
      at('status.desiredNumberScheduled', 2),
      CONDITIONS,
    ],
  }),
  pool('batch/v1 Job jobs', {
    least: { spec: { template: JOB_TEMPLATE } },
    fields: [
      at('spec.parallelism', 0, 1, 3),
      at('spec.completions', 1, 4),
      at('spec.backoffLimit', 0, 2),
      at('spec.suspend', true, false),
      at('spec.activeDeadlineSeconds', 10),
      at('spec.ttlSecondsAfterFinished', 100),
      at('spec.completionMode', 'Indexed', 'NonIndexed'),
      at('spec.template.metadata.labels', { app: 'j' }),
      at('spec.template.spec.restartPolicy', 'OnFailure', 'Never'),
    ],
    bad: [
      at('spec.parallelism', -1),
      at('spec.template.spec.restartPolicy', 'Always'),
      at('spec.selector', { matchLabels: { x: 'y' } }),
      at('spec.completionMode', 'Partly'),
    ],
    status: [at('status.active', 1), at('status.startTime', '2026-01-01T00:00:00Z')],
  }),
  pool('batch/v1 CronJob cronjobs', {
    least: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: JOB_TEMPLATE } } } },
    fields: [
      at('spec.schedule', '0 0 * * 1', '@hourly'),
      at('spec.suspend', true, false),
      at('spec.concurrencyPolicy', 'Forbid', 'Replace'),
      at('spec.timeZone', 'Europe/Zurich'),
      at('spec.successfulJobsHistoryLimit', 0, 2),
      at('spec.startingDeadlineSeconds', 30),
      at('spec.jobTemplate.spec.backoffLimit', 1),
    ],
    bad: [
      at('spec.schedule', 'often', '', '61 * * * *'),
      at('spec.concurrencyPolicy', 'Maybe'),
      at('spec.timeZone', 'Mars/North'),
      at('spec.successfulJobsHistoryLimit', -1),
    ],
    status: [
      at('status.lastScheduleTime', '2026-01-01T00:00:00Z'),
      at('status.active', [{ kind: 'Job', name: 'x', namespace: 'default' }]),
    ],
  }),
];
