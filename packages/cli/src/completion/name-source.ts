import type { ApiResource } from '@perigee/kube/client/discovery';
import type { Candidate } from './candidate.ts';

/** Looks up names that only the server or the kubeconfig knows. */
export interface NameSource {
  kinds(): Promise<readonly ApiResource[]>;
  /** The names of the objects of a kind. */
  names(kind: string): Promise<readonly Candidate[]>;
  contexts(): Promise<readonly Candidate[]>;
}
