import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** One resource in one version, as the server's discovery describes it. */
export interface ApiResource extends ResourceKind {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
  /** True for the version that the server prefers within its group. */
  readonly preferred: boolean;
}
