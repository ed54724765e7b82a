import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { mountConflicts } from '@perigee/api/kinds/flows/mount-conflicts';
import type { JsonObject } from '@perigee/schema/json';
import { nextStart } from './next-start.ts';
import { type Operation, policyOf } from './operation.ts';
import type { OperationReason } from './operation-conditions.ts';

/** The reason why an operation can never run. */
export interface Refusal {
  readonly reason: OperationReason<'Failed'>;
  readonly message: string;
}

const foreign = (
  namespace: string | undefined,
  dataset: { readonly namespace?: string; readonly name: string },
): Refusal | undefined =>
  (dataset.namespace || namespace) === namespace
    ? undefined
    : {
        reason: 'TargetDatasetNamespaceNotSame',
        message: `the dataset ${dataset.namespace}/${dataset.name} is in another namespace than the operation`,
      };

const pathProblem = ({ dataset, produces = [] }: DataProcess['spec']): Refusal | undefined => {
  const paths: readonly (readonly [field: string, path: string | undefined])[] = [
    ['dataset.subPath', dataset.subPath],
    ...produces.map((one, at) => [`produces[${at}]`, one.dataset?.path ?? one.path] as const),
  ];
  const bad = paths.find(([, path]) => path?.split('/').includes('..'));
  if (bad === undefined) return undefined;
  const message = `${bad[0]}: the path ${bad[1]} climbs out of the dataset`;
  return { reason: 'PathNotSupported', message };
};

const processorProblem = ({ processor, ...spec }: DataProcess['spec']): Refusal | undefined => {
  const { job, script } = processor;
  if (job === undefined && script === undefined) {
    const message = 'there is nothing to run: give exactly one of job and script';
    return { reason: 'ProcessorNotSpecified', message };
  }
  if (job !== undefined && script !== undefined) {
    const message = 'job and script exclude each other: give exactly one of job and script';
    return { reason: 'MultipleProcessorSpecified', message };
  }
  const [conflict] = mountConflicts({ ...spec, processor } as unknown as JsonObject);
  return conflict === undefined
    ? undefined
    : { reason: 'ConflictMountPath', message: `${conflict.field}: ${conflict.message}` };
};

const migrateProblem = ({ metadata, spec }: DataMigrate): Refusal | undefined => {
  const target = spec.to.dataset ?? spec.from.dataset;
  const elsewhere = target === undefined ? undefined : foreign(metadata.namespace, target);
  if (elsewhere !== undefined) return elsewhere;
  const isKeyMissing = spec.parallelism > 1 && !spec.parallelOptions?.sshSecretName;
  return isKeyMissing
    ? {
        reason: 'TargetSSHSecretNameNotSet',
        message: 'parallelism above 1 needs parallelOptions.sshSecretName',
      }
    : undefined;
};

const problemOfKind = (operation: Operation): Refusal | undefined => {
  const { namespace } = operation.metadata;
  switch (operation.kind) {
    case 'DataMigrate':
      return migrateProblem(operation as DataMigrate);
    case 'DataBackup': {
      const { backupPath } = (operation as DataBackup).spec;
      return /^(local|pvc|nfs|s3|s3a|minio|oss):\/\//.test(backupPath)
        ? undefined
        : {
            reason: 'PathNotSupported',
            message: `${backupPath} is none of local://, pvc://, nfs://, s3://, minio://, oss://`,
          };
    }
    case 'DataProcess': {
      const { spec } = operation as DataProcess;
      return foreign(namespace, spec.dataset) ?? processorProblem(spec) ?? pathProblem(spec);
    }
    default:
      return foreign(namespace, (operation as DataLoad).spec.dataset);
  }
};

const scheduleProblem = (operation: Operation): Refusal | undefined => {
  if (policyOf(operation) !== 'Cron') return undefined;
  const { spec } = operation;
  if (!('schedule' in spec) || !spec.schedule)
    return { reason: 'ScheduleNotSpecified', message: 'the policy Cron needs a schedule' };
  const start = nextStart(operation);
  return start.kind === 'never' && start.why === 'schedule'
    ? { reason: 'BadSchedule', message: start.message }
    : undefined;
};

/**
 * Validates an operation, with Fluid's messages in Fluid's order. Perigee's admission refuses most of these earlier,
 * but not every API server has it.
 */
export const validateOperation = (operation: Operation): Refusal | undefined =>
  problemOfKind(operation) ?? scheduleProblem(operation);
