import {
  boolean,
  int32,
  list,
  map,
  object,
  oneOf,
  quantity,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { resourceList } from '../../fragments/pod-resources.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { TAINT_EFFECTS } from './cluster-taints.ts';

const labels = (description: string) => map(description, string('The value of the label.'));

const alikeNodes = (description: string, each: string) =>
  list(
    description,
    object('Nodes that are alike.', {
      nodes: int32('How many there are.', { minimum: 1 }),
      each: list(
        `${each} In the order of spec.resources.`,
        quantity('The amount, such as 500m, 2Gi or 4.'),
      ),
    }),
  );

const nodePool = () =>
  object('Nodes with the same labels and taints.', {
    labels: optional(labels('Their labels, beside those that all nodes have and those not told.')),
    taints: optional(
      list(
        'Their taints that keep pods away.',
        object('A taint.', {
          key: string('The key of the taint.'),
          value: optional(string('The value of the taint.')),
          effect: oneOf('What the taint does.', TAINT_EFFECTS),
        }),
      ),
    ),
    unschedulable: optional(boolean('True when the nodes are cordoned.')),
    free: optional(
      alikeNodes('What the nodes have left.', 'What each of them has left, at least.'),
    ),
    whole: optional(
      alikeNodes(
        'What the nodes could give to pods if they were empty.',
        'What each of them has, at most.',
      ),
    ),
  });

export const ClusterRoom = defineKind({
  group: 'cluster.perigee.io',
  version: 'v1alpha1',
  kind: 'ClusterRoom',
  plural: 'clusterrooms',
  scope: 'Namespaced',
  doc: 'How much room a member cluster has, counted node by node: the one whose namespace karmada-es-<cluster> it is in. Perigee writes it, and schedulers read it.',
  spec: object('What was counted.', {
    countedAt: time(
      'When the nodes and pods were counted. A count that is long past does not count.',
    ),
    nodes: int32('How many nodes the cluster has.', { minimum: 0 }),
    leftOut: optional(
      int32('How many nodes are not told of, because too few others are like them.', {
        minimum: 0,
      }),
    ),
    labels: optional(labels('Labels that all nodes have.')),
    untoldLabels: optional(
      list(
        'Labels that are not told, because they would make too many pools; * stands for all that are not told elsewhere. Work that asks for one of them is weighed by the sums in the status of its Cluster.',
        string('The key of a label.'),
      ),
    ),
    roundedOff: optional(
      resourceList('What all nodes together have left beyond what is told here.'),
    ),
    resources: list('The resources that are told of.', string('A resource, such as cpu.')),
    pools: optional(list('The nodes, by labels and taints.', nodePool())),
  }),
  columns: [
    { name: 'Nodes', type: 'integer', path: '.spec.nodes', doc: 'How many nodes there are.' },
    { name: 'Counted', type: 'date', path: '.spec.countedAt', doc: 'When they were counted.' },
  ],
});
export type ClusterRoom = StoredObjectOf<typeof ClusterRoom>;
export type ClusterRoomWritten = WrittenObjectOf<typeof ClusterRoom>;
export type WrittenPool = StoredOf<ReturnType<typeof nodePool>>;
