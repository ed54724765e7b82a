import type { ResourceDescription } from '@perigee/kubernetes/resource/resource-description';
import type { KindVersions } from './kind-versions.ts';

/** A kind in one version, as this server serves it: built in, or defined by a CRD. */
export interface ServedResource extends ResourceDescription {
  readonly origin: 'built-in' | 'crd';
  /** Absent when objects need no conversion: there is one version, or all have the same schema. */
  readonly versions?: KindVersions;
  /** The definition of a custom resource: watches end when it changes, and restart with the next. */
  readonly definition?: string;
}
