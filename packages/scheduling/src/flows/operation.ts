import { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** A data operation of any kind: what is said about one holds for the others. */
export type Operation = DataLoad | DataMigrate | DataBackup | DataProcess;
export type OperationKind = ResourceKind<Operation>;
export type OperationKindName = 'DataLoad' | 'DataMigrate' | 'DataBackup' | 'DataProcess';

export const OPERATION_KINDS = [
  DataLoad,
  DataMigrate,
  DataBackup,
  DataProcess,
] as readonly ResourceKind[] as readonly OperationKind[];

/** Asks for another try of an operation that failed: each new value is one. */
export const RETRY = 'flows.perigee.io/retry';

/** Asks to have the pods played where nothing can run them. */
export const SIMULATE = 'flows.perigee.io/simulate';

/** Hands a Dataset or an operation to the Fluid of members: policies then propagate it as it is. */
const RUN_BY = 'flows.perigee.io/run-by';

/** Names the flow that an operation belongs to. */
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

/** An operation as messages call it: with its namespace where that is another one. */
export const nameFrom = ({ kind, namespace, name }: OperationKey, own: string): string =>
  `${kind} ${namespace === own ? name : `${namespace}/${name}`}`;

/** Everything that must be complete before the operation starts. */
export const predecessorsOf = ({ spec }: Operation): readonly Predecessor[] => [
  ...(spec.runAfter === undefined ? [] : [spec.runAfter]),
  ...(spec.runAfterAll ?? []),
];

/** The operation that a reference means: one of the namespace of who refers to it, unless it says otherwise. */
export const keyOfReference = (
  { kind, namespace, name }: Pick<Predecessor, 'kind' | 'namespace' | 'name'>,
  from: string,
): OperationKey => ({ kind, namespace: namespace || from, name });

/** The operations that one waits for: `runAfter`, and those whose nodes it follows. */
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

/** When it runs. A DataBackup has no policy and runs once. */
export const policyOf = ({ spec }: Operation): 'Once' | 'Cron' | 'OnEvent' =>
  'policy' in spec ? spec.policy : 'Once';

export const isTerminal = ({ phase }: OperationStatus): boolean =>
  phase === 'Complete' || phase === 'Failed';

/** True if a retry was requested and has not begun. */
export const wantsRetry = ({ metadata, spec, status }: Operation): boolean => {
  const asked = metadata.annotations?.[RETRY];
  return !spec.cancel && asked !== undefined && asked !== status?.retriedFor;
};

export const isSimulated = ({ metadata }: Operation): boolean =>
  metadata.annotations?.[SIMULATE] === 'true';

/** True if a Dataset or an operation is for the control plane, and not for Fluid in members. */
export const isRunHere = ({
  apiVersion,
  metadata,
}: Pick<KubeObject, 'apiVersion' | 'metadata'>): boolean =>
  apiVersion.startsWith('data.fluid.io/') && metadata.annotations?.[RUN_BY] !== 'member';
