import type { ApiResource } from '@perigee/kube/client/discovery';
import type { Candidate } from './candidate.ts';

/** Where names come from that the command line itself does not know. */
export interface NameSource {
  kinds(): Promise<readonly ApiResource[]>;
  /** The names of the objects of a kind. */
  names(kind: string): Promise<readonly Candidate[]>;
  contexts(): Promise<readonly Candidate[]>;
}
