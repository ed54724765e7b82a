import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition, type NewCondition } from '@perigee/api/values/conditions';
import {
  ABANDON,
  type DesiredTarget,
  differingFields,
  FOLLOWS,
  type TargetField,
} from './execution-target.ts';
import { detours } from './withheld-fields.ts';

const TYPE = 'ExecutionTarget';

/** The sync state of a record's execution target, with the reason. */
type TargetCondition = NewCondition<'ClusterRecord', typeof TYPE>;

const nameOf = ({ path }: TargetField): string =>
  path.length < 3 ? path.join('.') : `${path.slice(0, 2).join('.')}[${path[2]}]`;

const condition = (
  status: TargetCondition['status'],
  reason: TargetCondition['reason'],
  message: string,
): TargetCondition => ({ type: TYPE, status, reason, message });

/** Condition of the target: present and in sync, or why not. */
export const targetCondition = (
  { metadata }: ClusterRecord,
  desired: DesiredTarget | undefined,
  target: MemberCluster | undefined,
): TargetCondition => {
  if (desired === undefined) {
    return condition(
      'False',
      'InventoryOnly',
      'it takes no Kubernetes objects: it is counted and shared out to schedulers, but no policy can place work there',
    );
  }
  if (metadata.deletionTimestamp !== undefined) {
    const drainCondition = findCondition(target?.status?.conditions, 'Drained');
    const waitsFor = drainCondition === undefined ? '' : `: ${drainCondition.message}`;
    return condition(
      'False',
      'Unregistering',
      `the record goes when all work has left the cluster${waitsFor}; to leave what runs there to itself, annotate the record with ${ABANDON}=true`,
    );
  }
  if (target === undefined) {
    return condition('False', 'NotMadeYet', 'its execution target is still to be made');
  }
  const differences = differingFields(desired, target);
  if (differences.length === 0) {
    return condition('True', 'InStep', 'its execution target is as the record says');
  }
  if (differences.some(({ path }) => path[2] === FOLLOWS)) {
    return condition('True', 'OutOfStep', 'its execution target is still to follow the record');
  }
  const astray = detours(desired, target.spec);
  if (astray.length > 0 && differences.some(({ path }) => path[1] === 'secretRef')) {
    return condition(
      'False',
      'CredentialsWithheld',
      `the Secret of the record is kept from its execution target, because others have written ${astray.join(', ')} there, by which its content would go elsewhere: remove that, or name the Secret in the execution target`,
    );
  }
  return condition(
    'True',
    'FieldsOfOthers',
    `its execution target differs in ${differences.map(nameOf).join(', ')}, which others have written; change them there, or say the same in the record`,
  );
};
