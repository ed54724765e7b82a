import { ApiError, type Status } from '@perigee/kube/errors';
import { present, unlessEmpty } from '@perigee/schema/present';

export type StatusDetails = NonNullable<Status['details']>;
export type StatusCause = NonNullable<StatusDetails['causes']>[number];

/** Subject of a refusal: the fields of a resource that name it. */
export interface NamedResource {
  readonly group: string;
  readonly plural: string;
}

/** An answer of no, as an error that carries the whole `Status`. */
export const refusal = (
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails,
): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message,
    reason,
    ...present({ details }),
    code,
  });

/** A plural or a kind with its group, as Kubernetes names it in messages: `deployments.apps`. */
export const inGroup = (name: string, group: string): string =>
  group === '' ? name : `${name}.${group}`;

/** Details about one object, without what is empty. */
export const detailsOf = (name: string, group: string, kind: string): StatusDetails =>
  present({ name: unlessEmpty(name), group: unlessEmpty(group), kind: unlessEmpty(kind) });
