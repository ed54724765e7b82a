import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import {
  keyOfOperation,
  type Operation,
  type OperationKey,
  textOfKey,
} from '../../src/flows/operation.ts';
import type { OperationFacts } from '../../src/flows/operation-facts.ts';

export const NOON = Date.UTC(2026, 0, 1, 12);
const CREATED = '2026-01-01T11:00:00Z';

const SPECS: { readonly [kind: string]: object } = {
  DataLoad: { dataset: { name: 'raw', namespace: 'default' }, policy: 'Once' },
  DataMigrate: {
    from: { externalStorage: { uri: 'pvc://nas/raw' } },
    to: { dataset: { name: 'raw', namespace: 'default' } },
    parallelism: 1,
    policy: 'Once',
  },
  DataBackup: { dataset: 'raw', backupPath: 'pvc://backups/raw' },
  DataProcess: {
    dataset: { name: 'raw', namespace: 'default', mountPath: '/data' },
    processor: { script: { source: 'ls', restartPolicy: 'Never', image: 'busybox' } },
    policy: 'Once',
  },
};

interface Parts {
  readonly spec?: object;
  readonly status?: Partial<OperationStatus>;
  readonly metadata?: object;
}

/** An operation of a kind, which is `step` unless its metadata say otherwise. */
export const operation = (
  kind: string,
  { spec = {}, status, metadata = {} }: Parts = {},
): Operation =>
  ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind,
    metadata: {
      name: 'step',
      namespace: 'default',
      uid: 'uid-of-step',
      generation: 1,
      creationTimestamp: CREATED,
      ...metadata,
    },
    spec: { ...SPECS[kind], ...spec },
    ...(status === undefined
      ? {}
      : { status: { phase: '', duration: '', conditions: [], ...status } }),
  }) as unknown as Operation;

export const named = (name: string, metadata: object = {}) => ({
  name,
  uid: `uid-of-${name}`,
  ...metadata,
});

export const finder = (...all: readonly Operation[]) => {
  const known = new Map(all.map((one) => [textOfKey(keyOfOperation(one)), one]));
  return (key: OperationKey) => known.get(textOfKey(key));
};

/** Facts by which everything is ready. */
export const facts = (more: Partial<OperationFacts> = {}): OperationFacts => ({
  nowMs: NOON,
  find: finder(),
  isAwaited: () => false,
  missingDataset: () => undefined,
  writerAhead: () => undefined,
  refusal: () => undefined,
  placementWord: () => ({ reason: 'WhereRoomIs', message: 'nothing says where' }),
  report: undefined,
  placedWord: undefined,
  ...more,
});

export const jobStatus = (state: 'new' | 'active' | 'complete' | 'failed', more: object = {}) => {
  const end = (type: string, reason: string) => ({
    active: 0,
    startTime: '2026-01-01T11:58:00Z',
    conditions: [
      // Kubernetes puts this one first.
      { type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', status: 'True' },
      {
        type,
        status: 'True',
        reason,
        message: `as ${reason}`,
        lastTransitionTime: '2026-01-01T11:59:30Z',
      },
    ],
  });
  const statuses = {
    new: {},
    active: { active: 1, startTime: '2026-01-01T11:58:00Z' },
    complete: { ...end('Complete', 'CompletionsReached'), completionTime: '2026-01-01T11:59:30Z' },
    failed: end('Failed', 'BackoffLimitExceeded'),
  };
  return { ...statuses[state], ...more };
};

/** The reports of clusters, by name. */
export const report = (
  states: { readonly [cluster: string]: object | undefined },
  isSimulated = false,
) => ({
  clusters: Object.keys(states),
  items: Object.entries(states).flatMap(([clusterName, status]) =>
    status === undefined ? [] : [{ clusterName, status: status as never }],
  ),
  isSimulated,
  nodeLabels: () => ({}),
});
