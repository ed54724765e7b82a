import { int32, object, oneOf, set, string } from '@perigee/schema/structural/builder';
import {
  check,
  immutable,
  optional,
  type StoredOf,
  withDefault,
} from '@perigee/schema/structural/schema';
import { podTemplateSpec } from '../../fragments/pod.ts';
import { policies } from './job-policy.ts';
import { networkTopology } from './network-topology.ts';

export const MAX_TASKS = 1024;

const FIXED = 'cannot change once the job exists, because its pods were made from it';

const taskName = (description: string) =>
  string(description, { maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' });

const dependsOn = object('The tasks that have to be ready before this one starts.', {
  name: optional(
    set('The names of those tasks.', taskName('The name of a task.'), { maxItems: MAX_TASKS }),
  ),
  iteration: optional(
    oneOf('Whether one of them is enough, or all are needed; all when left out.', ['any', 'all']),
  ),
});

const partitionPolicy = object('How the pods of the task are divided into equal parts.', {
  totalPartitions: int32('How many parts there are.', { minimum: 1 }),
  partitionSize: int32('How many pods are in each part.', { minimum: 1 }),
  minPartitions: withDefault(
    0,
    int32('How many parts must be able to start for any to start.', { minimum: 0 }),
  ),
  networkTopology: optional(networkTopology('How close together a part has to be.')),
});

export const task = check(
  object('Pods that are alike.', {
    name: taskName('The name, unique in the job; default0, default1 … when left out.'),
    replicas: withDefault(0, int32('How many pods there are.', { minimum: 0 })),
    minAvailable: optional(
      int32(
        'How many of them must be able to start for any to start; when left out, those of minPartitions, or all.',
        { minimum: 0 },
      ),
    ),
    template: immutable(podTemplateSpec('What the pods are made from.'), FIXED),
    policies: optional(immutable(policies('What to do when something happens to a pod.'), FIXED)),
    maxRetry: withDefault(
      3,
      immutable(
        int32('How often the task may be restarted before it has failed. 0 counts as left out.', {
          minimum: 0,
        }),
        FIXED,
      ),
    ),
    dependsOn: optional(immutable(dependsOn, FIXED)),
    topologyPolicy: optional(
      immutable(
        oneOf('How the cores and the memory of a pod have to be together on its node.', [
          'none',
          'best-effort',
          'restricted',
          'single-numa-node',
        ]),
        FIXED,
      ),
    ),
    partitionPolicy: optional(immutable(partitionPolicy, FIXED)),
  }),
  {
    rule: '!has(self.minAvailable) || self.minAvailable <= self.replicas',
    message: 'must not be more than replicas',
    fieldPath: '.minAvailable',
  },
  {
    rule: '!has(self.partitionPolicy) || self.replicas == self.partitionPolicy.totalPartitions * self.partitionPolicy.partitionSize',
    message: 'must be totalPartitions times partitionSize',
    fieldPath: '.replicas',
  },
  {
    rule: '!has(self.partitionPolicy) || !has(self.minAvailable) || self.partitionPolicy.minPartitions == 0 || self.minAvailable == self.partitionPolicy.minPartitions * self.partitionPolicy.partitionSize',
    message: 'must be minPartitions times partitionSize',
    fieldPath: '.minAvailable',
  },
  {
    rule: 'has(self.policies) == has(oldSelf.policies) && has(self.dependsOn) == has(oldSelf.dependsOn) && has(self.topologyPolicy) == has(oldSelf.topologyPolicy) && has(self.partitionPolicy) == has(oldSelf.partitionPolicy)',
    message:
      'policies, dependsOn, topologyPolicy and partitionPolicy cannot be added or removed once the job exists',
    reason: 'FieldValueForbidden',
  },
);

export type JobTask = StoredOf<typeof task>;
