import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { RegistrationError } from '../errors.ts';

type Words = { readonly [key: string]: string } | undefined;

/** Others may have added labels and annotations of theirs; what is asked for has to be there. */
const hasWords = (present: Words, wanted: Words): boolean =>
  Object.entries(wanted ?? {}).every(([key, value]) => present?.[key] === value);

/** Whether a record says what somebody wants it to say. */
export const isDescribedAs = (present: ClusterRecord, wanted: ClusterRecord): boolean =>
  sameJson(present.spec, wanted.spec) &&
  hasWords(present.metadata.labels, wanted.metadata.labels) &&
  hasWords(present.metadata.annotations, wanted.metadata.annotations);

/** @throws `RegistrationError` `Leaving` for a record that is being removed. */
export const refuseLeaving = ({ metadata: { name, deletionTimestamp } }: ClusterRecord): void => {
  if (deletionTimestamp === undefined) return;
  throw new RegistrationError(
    'Leaving',
    `the cluster ${name} is being unregistered since ${deletionTimestamp}: register it again when it is gone`,
  );
};
