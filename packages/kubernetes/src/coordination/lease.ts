import type { KubeObject, WrittenMeta } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** Holder of the lease. All times are MicroTime and written by the holder's wall clock. */
export interface LeaseSpec {
  /** Absent or empty if there is no holder. */
  readonly holderIdentity?: string;
  /** Seconds after its last renewal during which others must leave the lease alone. */
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** Number of changes of the holder. */
  readonly leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseWritten {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: WrittenMeta;
  readonly spec?: LeaseSpec;
}

export const Lease: ResourceKind<Lease, LeaseWritten> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};
