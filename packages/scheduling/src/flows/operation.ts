import { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** A data operation of any kind. */
export type Operation = DataLoad | DataMigrate | DataBackup | DataProcess;
export type OperationKind = ResourceKind<Operation>;
export type OperationKindName = 'DataLoad' | 'DataMigrate' | 'DataBackup' | 'DataProcess';

export const OPERATION_KINDS = [
  DataLoad,
  DataMigrate,
  DataBackup,
  DataProcess,
] as readonly ResourceKind[] as readonly OperationKind[];

/** Annotation that requests a retry of a failed operation: each new value is one retry. */
export const RETRY = 'flows.perigee.io/retry';

/** Annotation that requests simulated pods in clusters that cannot run real ones. */
export const SIMULATE = 'flows.perigee.io/simulate';

/** The label with the name of an operation's flow. */
export const FLOW = 'fluid.io/dataflow';

export interface OperationKey {
  readonly kind: OperationKindName;
  readonly namespace: string;
  readonly name: string;
}

export type Predecessor = NonNullable<Operation['spec']['runAfter']>;

export const keyOfOperation = ({ kind, metadata }: Operation): OperationKey => ({
  kind: kind as OperationKindName,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

export const textOfKey = ({ kind, namespace, name }: OperationKey): string =>
  `${kind}/${namespace}/${name}`;

/** The title of an operation in messages: with its namespace if that differs. */
export const nameFrom = ({ kind, namespace, name }: OperationKey, own: string): string =>
  `${kind} ${namespace === own ? name : `${namespace}/${name}`}`;

/** Everything that must be complete before the operation starts. */
export const predecessorsOf = ({ spec }: Operation): readonly Predecessor[] => [
  ...(spec.runAfter === undefined ? [] : [spec.runAfter]),
  ...(spec.runAfterAll ?? []),
];

/** The operation of a reference; its namespace defaults to that of the referring object. */
export const keyOfReference = (
  { kind, namespace, name }: Pick<Predecessor, 'kind' | 'namespace' | 'name'>,
  from: string,
): OperationKey => ({ kind, namespace: namespace || from, name });

/** The predecessors of an operation: `runAfter`, and those whose nodes it follows. */
export const predecessorKeys = (operation: Operation): readonly OperationKey[] => {
  const { namespace = '' } = operation.metadata;
  return predecessorsOf(operation).flatMap((one) => {
    const { policy, dependOn } = one.affinityStrategy ?? {};
    const own = keyOfReference(one, namespace);
    return policy && dependOn !== undefined ? [own, keyOfReference(dependOn, namespace)] : [own];
  });
};

export const statusOf = ({ status }: Operation): OperationStatus =>
  status ?? { phase: '', duration: '', conditions: [] };

/** Its run policy. A DataBackup has none and runs once. */
export const policyOf = ({ spec }: Operation): 'Once' | 'Cron' | 'OnEvent' =>
  'policy' in spec ? spec.policy : 'Once';

export const isTerminal = ({ phase }: OperationStatus): boolean =>
  phase === 'Complete' || phase === 'Failed';

/** True if a retry was requested and has not begun. */
export const wantsRetry = ({ metadata, spec, status }: Operation): boolean => {
  const retryMark = metadata.annotations?.[RETRY];
  return !spec.cancel && retryMark !== undefined && retryMark !== status?.retriedFor;
};

export const isSimulated = ({ metadata }: Operation): boolean =>
  metadata.annotations?.[SIMULATE] === 'true';
