import { int64, list, object, oneOf, string, time } from '@perigee/schema/structural/builder';
import { optional } from '@perigee/schema/structural/schema';
import { conditions, observedGeneration } from '../../fragments/fragments.ts';
import { resourceList } from '../../fragments/pod-resources.ts';
import { flavorFields } from './inventory-fragments.ts';

export const clusterRecordStatus = () =>
  object('What the control plane knows about the cluster.', {
    phase: optional(
      oneOf('The state in one word; the conditions say why.', [
        'Pending',
        'Ready',
        'NotReady',
        'Unreachable',
        'Unknown',
      ]),
    ),
    conditions: optional(conditions<'ClusterRecord'>('What is known about the cluster.')),
    observedGeneration: optional(observedGeneration()),
    homeScheduler: optional(string('The scheduler that is in charge.', { maxLength: 253 })),
    bindingEpoch: optional(
      int64(
        'Grows with every change of the home scheduler. A decision that was taken under a lower number is void.',
        { minimum: 0 },
      ),
    ),
    clusterID: optional(
      string(
        'The uid of its namespace kube-system, by which the same cluster is known again under another name.',
        { maxLength: 253 },
      ),
    ),
    lastSeenTime: optional(time('When the cluster last answered.')),
    capacity: optional(resourceList('What all its nodes have together.')),
    allocatable: optional(resourceList('The part of it that workloads may use.')),
    allocated: optional(resourceList('The part of that which workloads have taken.')),
    flavors: optional(
      list(
        'The machine sizes that the cluster says it offers.',
        object('One machine size, and how many fit into the cluster.', {
          ...flavorFields,
          cpu: optional(int64('CPU cores of one such machine.', { minimum: 0 })),
          memory: optional(int64('Memory of one such machine, in MiB.', { minimum: 0 })),
        }),
        { maxItems: 256 },
      ),
    ),
    storageTypes: optional(
      list(
        'The kinds of storage that the cluster says it offers.',
        string('Its name.', { maxLength: 255 }),
        {
          maxItems: 64,
        },
      ),
    ),
    resourcesObservedTime: optional(
      time('When those amounts were read: the older, the less they are worth.'),
    ),
  });
