import { type FieldError, invalid } from '@perigee/schema/errors';
import { numberAt, objectAt } from '@perigee/schema/json-fields';
import { notNegative } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

interface Counts {
  /** Counts of some of the replicas, which are no more than all of them. */
  readonly parts: readonly string[];
  readonly others: readonly string[];
  /** Name of the ready replicas in the error for a larger number of available ones; absent: not compared. */
  readonly ready?: string;
  /** True if the status has a `collisionCount`, which cannot decrease. */
  readonly collides?: boolean;
}

const checkParts = (status: ReturnType<typeof objectAt>, counts: Counts): FieldError[] => {
  const { parts, ready } = counts;
  const count = (name: string): number => numberAt(status, name) ?? 0;
  const tooMany = (name: string, than: string): FieldError =>
    invalid(`status.${name}`, count(name), `cannot be greater than ${than}`);
  const all = count('replicas');
  return [
    ...parts.filter((name) => count(name) > all).map((name) => tooMany(name, 'status.replicas')),
    ...(ready !== undefined && count('availableReplicas') > count('readyReplicas')
      ? [tooMany('availableReplicas', ready)]
      : []),
  ];
};

const COLLISIONS = 'collisionCount';

/** Only writes of the status are checked for its counts. */
const statusRule =
  (counts: Counts): KindRule =>
  (object, old, subresource) => {
    if (subresource !== 'status') return [];
    const status = objectAt(object, 'status');
    const collisions = numberAt(status, COLLISIONS) ?? 0;
    const isFewer = collisions < (numberAt(objectAt(old ?? {}, 'status'), COLLISIONS) ?? 0);
    return [
      ...notNegative(status, 'status', ...counts.parts, ...counts.others),
      ...checkParts(status, counts),
      ...(counts.collides && isFewer
        ? [invalid(`status.${COLLISIONS}`, collisions, 'cannot be decremented')]
        : []),
    ];
  };

const REPLICAS: Counts = {
  parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  others: ['replicas', 'observedGeneration', 'terminatingReplicas'],
  ready: 'readyReplicas',
};

export const WORKLOAD_STATUS_RULES: KindRules = [
  ['core.v1.ReplicationController', statusRule(REPLICAS)],
  ['apps.v1.ReplicaSet', statusRule(REPLICAS)],
  [
    'apps.v1.Deployment',
    statusRule({
      parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      others: [
        ...['replicas', 'observedGeneration', 'unavailableReplicas'],
        ...['terminatingReplicas', COLLISIONS],
      ],
      ready: 'readyReplicas',
      collides: true,
    }),
  ],
  [
    'apps.v1.StatefulSet',
    statusRule({
      parts: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      others: ['replicas', 'observedGeneration', COLLISIONS],
      ready: 'status.readyReplicas',
      collides: true,
    }),
  ],
  [
    'apps.v1.DaemonSet',
    statusRule({
      parts: [],
      others: [
        ...['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled'],
        ...['numberReady', 'observedGeneration', 'updatedNumberScheduled'],
        ...['numberAvailable', 'numberUnavailable', COLLISIONS],
      ],
      collides: true,
    }),
  ],
];
