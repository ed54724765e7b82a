import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The attributes of a request on one object: the whole input of admission. */
export interface Attributes {
  readonly operation: Operation;
  /** The resource whose path the request has. */
  readonly resource: ServedResource;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The type of `object` and `old`, which may be that of a subresource. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty if the server has yet to generate a name. */
  readonly name: string;
  /** Empty for cluster-scoped objects; the name of a namespace for itself. */
  readonly namespace: string;
  /** Absent for a deletion. */
  readonly object?: JsonObject;
  /** Absent for a creation. */
  readonly old?: JsonObject;
  readonly user: UserInfo;
  readonly options: JsonObject;
  readonly dryRun: boolean;
}

const CONFIGURATIONS: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

/** A configuration must not be able to block its own repair. */
export const isExempt = ({ group, kind }: { readonly group: string; readonly kind: string }) =>
  group === ADMISSION_GROUP && CONFIGURATIONS.has(kind);

/** The name of the object in refusals: it may not be generated yet. */
export const displayName = ({ name, object }: Attributes): string => {
  if (name !== '') return name;
  const { name: own, generateName } = (object?.metadata ?? {}) as {
    readonly name?: string;
    readonly generateName?: string;
  };
  return own || generateName || 'Unknown';
};
