import type { CallOptions, Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import { listPages } from '@perigee/kube/client/list-pages';
import { ApiError } from '@perigee/kube/errors';
import {
  type HasWork,
  type Leftover,
  leftoverOf,
} from '@perigee/scheduling/placement/work/leftovers';
import { MANAGED } from '@perigee/scheduling/placement/work/work-names';
import type { JsonObject } from '@perigee/schema/json';

/** Maximum number that is collected. */
const MOST = 1000;

/** Kinds that are never propagated: controllers in the cluster create them. */
const DERIVED: ReadonlySet<string> = new Set(['events', 'endpoints', 'endpointslices', 'leases']);

const isListable = ({ verbs, preferred, plural }: ApiResource): boolean =>
  preferred && verbs.includes('list') && verbs.includes('create') && !DERIVED.has(plural);

/** Lists all objects in a member that carry the marks of a control plane. */
export const findLeftovers = async (
  member: Client,
  cluster: string,
  hasWork: HasWork,
  options: CallOptions,
): Promise<readonly Leftover[]> => {
  const leftovers: Leftover[] = [];
  const visitedUids = new Set<string>();
  for (const kind of (await member.discover(options)).filter(isListable)) {
    const labelled = { ...options, labelSelector: `${MANAGED}=true` };
    try {
      for await (const { items } of listPages(member, kind, labelled)) {
        for (const object of items) {
          // An object can be served by two API groups.
          if (visitedUids.has(object.metadata.uid)) continue;
          visitedUids.add(object.metadata.uid);
          const leftover = leftoverOf(kind.kind, object as unknown as JsonObject, cluster, hasWork);
          if (leftover !== undefined) leftovers.push(leftover);
        }
        if (leftovers.length >= MOST) return leftovers;
      }
    } catch (error) {
      // Kinds that are forbidden or no longer served are skipped.
      if (!(error instanceof ApiError) || ![403, 404, 405].includes(error.code)) throw error;
    }
  }
  return leftovers;
};
