import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Logger } from '../observe/logger.ts';
import type { ApiCaller } from './api-caller.ts';
import type { DiscoverOptions } from './client.ts';
import type { ApiResource } from './discovery.ts';
import {
  type AggregatedDiscovery,
  fromAggregated,
  fromResourceList,
  type GroupVersion,
  type ResourceList,
  staleVersions,
} from './discovery-documents.ts';

interface PlainCoreVersions {
  readonly kind: 'APIVersions';
  /** Null for none, as servers in Go write it. */
  readonly versions: readonly string[] | null;
}

interface PlainGroups {
  readonly kind: 'APIGroupList';
  readonly groups:
    | readonly {
        readonly name: string;
        readonly versions: readonly { readonly version: string }[];
        readonly preferredVersion?: { readonly version: string };
      }[]
    | null;
}

const aggregatedIn = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

const INDEXES: readonly unknown[] = ['APIGroupDiscoveryList', 'APIVersions', 'APIGroupList'];

/** All in one document where the server can; else an index of documents. */
const ACCEPT = `${aggregatedIn('v2')},${aggregatedIn('v2beta1')},application/json`;

const versionsIn = (index: PlainCoreVersions | PlainGroups): readonly GroupVersion[] =>
  index.kind === 'APIVersions'
    ? (index.versions ?? []).map((version, at) => ({ group: '', version, preferred: at === 0 }))
    : (index.groups ?? []).flatMap(({ name, versions, preferredVersion }) =>
        versions.map(({ version }) => ({
          group: name,
          version,
          preferred: version === (preferredVersion ?? versions[0])?.version,
        })),
      );

/** Everything that the server serves, in its own order: the core group first. */
export const fetchDiscovery = async (
  caller: ApiCaller,
  logger: Pick<Logger, 'warn'> | undefined,
  { signal, onMissing }: DiscoverOptions,
): Promise<readonly ApiResource[]> => {
  const resourcesOf = async (at: GroupVersion): Promise<readonly ApiResource[]> => {
    const { group, version } = at;
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      return fromResourceList(
        (await caller.object({ method: 'GET', path, signal })) as unknown as ResourceList,
        at,
      );
    } catch (error) {
      signal?.throwIfAborted();
      // The extension server behind one group may be down; that must not hide all the others.
      logger?.warn(`cannot discover ${group}/${version}: ${error}`);
      onMissing?.(apiVersionOf(at));
      return [];
    }
  };
  const under = async (path: '/api' | '/apis'): Promise<readonly ApiResource[]> => {
    const answer = await caller.object({ method: 'GET', path, accept: ACCEPT, signal });
    if (!INDEXES.includes(answer.kind)) throw caller.senseless('no list of its resources');
    const index = answer as unknown as AggregatedDiscovery | PlainCoreVersions | PlainGroups;
    if (index.kind === 'APIGroupDiscoveryList') {
      for (const stale of staleVersions(index)) onMissing?.(stale);
      return fromAggregated(index);
    }
    return (await Promise.all(versionsIn(index).map(resourcesOf))).flat();
  };
  const [core, others] = await Promise.all([under('/api'), under('/apis')]);
  return [...core, ...others];
};
