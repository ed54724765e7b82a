import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { sameJson } from '@perigee/schema/same-json';
import { RegistrationError } from '../errors.ts';

type Words = { readonly [key: string]: string } | undefined;

/** Others may add labels and annotations, so the wanted ones only have to be contained. */
const hasWords = (present: Words, desiredWords: Words): boolean =>
  Object.entries(desiredWords ?? {}).every(([key, value]) => present?.[key] === value);

/** True if the record already has the wanted spec, labels and annotations. */
export const isDescribedAs = (present: ClusterRecord, desiredRecord: ClusterRecord): boolean =>
  sameJson(present.spec, desiredRecord.spec) &&
  hasWords(present.metadata.labels, desiredRecord.metadata.labels) &&
  hasWords(present.metadata.annotations, desiredRecord.metadata.annotations);

/** @throws `RegistrationError` `Leaving` for a record that is being removed. */
export const refuseLeaving = ({ metadata: { name, deletionTimestamp } }: ClusterRecord): void => {
  if (deletionTimestamp === undefined) return;
  throw new RegistrationError(
    'Leaving',
    `the cluster ${name} is being unregistered since ${deletionTimestamp}: register it again when it is gone`,
  );
};
