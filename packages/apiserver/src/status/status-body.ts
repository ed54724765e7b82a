import type { Status } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { detailsOf, type NamedResource } from './refusal.ts';

/** The reply to a deletion that is done: the object is gone, and this is what it was. */
export const deletedStatus = (
  { group, plural }: NamedResource,
  name: string,
  uid: string | undefined,
): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Success',
  details: { ...detailsOf(name, group, plural), ...present({ uid }) },
});

/** A complete `Status`, with its fields in Kubernetes' order. */
export const statusBody = ({ status, message, reason, details, code }: Status): JsonObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  ...present({ status, message, reason, details: details as JsonObject | undefined, code }),
});

/** The response for an unknown path or group; clients would take a `Status` there for that of an object. */
export const PAGE_NOT_FOUND = {
  code: 404,
  contentType: 'text/plain; charset=utf-8',
  body: '404 page not found\n',
} as const;
