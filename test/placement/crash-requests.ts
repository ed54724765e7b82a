import { workName } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';

/** A number below the given one. */
export type Dice = (below: number) => number;

/** The desired state of one workload. */
export interface CrashRequest {
  readonly isThere: boolean;
  readonly image: string;
  readonly colour: string;
  /** By member; 0 leaves it out. */
  readonly weights: readonly number[];
  /** For each of the weights. */
  readonly share: number;
  readonly isDuplicated: boolean;
  readonly isOverridden: boolean;
}

export const rollRequest = (dice: Dice, members: number): CrashRequest => {
  const weights = Array.from({ length: members }, () => dice(4));
  return {
    isThere: dice(6) > 0,
    image: `app:${dice(3)}`,
    colour: ['blue', 'green'][dice(2)] ?? '',
    weights: weights.some((weight) => weight > 0) ? weights : weights.map(() => 1),
    share: dice(3),
    isDuplicated: dice(4) === 0,
    isOverridden: dice(2) === 0,
  };
};

const memberAt = (at: number): string => `member${at + 1}`;
const replicasOf = ({ weights, share }: CrashRequest): number =>
  share * weights.reduce((sum, weight) => sum + weight, 0);

const deployment = (request: CrashRequest): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: replicasOf(request),
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          { name: 'web', image: request.image, envFrom: [{ configMapRef: { name: 'settings' } }] },
        ],
      },
    },
  },
});

const policy = ({ weights, isDuplicated }: CrashRequest): JsonObject => {
  const usedMembers = weights.flatMap((weight, at) =>
    weight > 0 ? [{ name: memberAt(at), weight }] : [],
  );
  const staticWeightList = usedMembers.map(({ name, weight }) => ({
    targetCluster: { clusterNames: [name] },
    weight,
  }));
  return {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'web' },
    spec: {
      propagateDeps: true,
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      placement: {
        clusterAffinity: { clusterNames: usedMembers.map(({ name }) => name) },
        replicaScheduling: isDuplicated
          ? { replicaSchedulingType: 'Duplicated' }
          : {
              replicaSchedulingType: 'Divided',
              replicaDivisionPreference: 'Weighted',
              weightPreference: { staticWeightList },
            },
      },
    },
  };
};

const override: JsonObject = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'OverridePolicy',
  metadata: { name: 'web' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
    overrideRules: [
      {
        targetCluster: { clusterNames: ['member2'] },
        overriders: { labelsOverrider: [{ operator: 'add', value: { place: 'two' } }] },
      },
    ],
  },
};

/** The objects by which the user says it. */
export const requestedObjects = (request: CrashRequest): readonly JsonObject[] => [
  ...(request.isOverridden ? [override] : []),
  ...(request.isThere
    ? [
        policy(request),
        deployment(request),
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'settings' },
          data: { colour: request.colour },
        },
      ]
    : []),
];

/** The final state of all objects, after any order of events. */
export const expectedSight = (request: CrashRequest): string => {
  const replicas = replicasOf(request);
  const shares = request.weights.map((weight) =>
    !request.isThere || weight === 0
      ? undefined
      : request.isDuplicated
        ? replicas
        : request.share * weight,
  );
  // A cluster whose share is nothing is not chosen, unless all of them get nothing.
  const isSent = shares.map((share) => share !== undefined);
  const works = ['Deployment', 'ConfigMap'].flatMap((kind) =>
    isSent.flatMap((sent, at) => {
      const name = kind === 'Deployment' ? 'web' : 'settings';
      return sent ? [`${memberAt(at)}/${workName(kind, name, 'default')}`] : [];
    }),
  );
  const above = shares.reduce<number>((sum, share = 0) => sum + share, 0);
  const bindings = request.isThere ? 'settings-configmap+web-deployment' : '';
  const rows = shares.map((share, at) => {
    const name = memberAt(at);
    if (share === undefined) return `${name}: - pods=0 colour=-`;
    const place = request.isOverridden && name === 'member2' ? 'two' : '-';
    return `${name}: ${share}/${share} ${request.image} place=${place} pods=${share} colour=${request.colour}`;
  });
  return [`ready=${above} bindings=${bindings} works=${works.sort().join('+')}`, ...rows].join(
    '\n',
  );
};
