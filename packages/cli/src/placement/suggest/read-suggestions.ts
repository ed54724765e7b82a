import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { isForbidden } from '@perigee/kube/errors';
import { read, type WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { isInLine } from '@perigee/scheduling/queues/queue-marks';
import { runs } from '@perigee/scheduling/suggest/stuck-work';
import { suggest } from '@perigee/scheduling/suggest/suggest';
import type { Suggestion } from '@perigee/scheduling/suggest/suggestion';
import { readWorld } from '../plan/read-world.ts';
import { commandFor } from './command-for.ts';
import { mayDo } from './may-do.ts';

type Told = Suggestion['changes'][number];

/** A change, and how and by whom it is made. */
export interface DoableChange extends Told {
  /** What to type; absent where no single command does it. */
  readonly command?: string;
  /** Whether whoever asks may do it; absent where the API does not decide. */
  readonly allowed?: boolean;
}

export interface DoableSuggestion {
  readonly changes: readonly DoableChange[];
  readonly to: readonly TargetCluster[];
}

const named = (template: Template, { apiVersion, kind }: NamedResource): Template =>
  ({ ...template, apiVersion, kind }) as Template;

/** Others decide about work as well where it is in line, or in a group. */
const bindingsAround = async (
  client: Client,
  binding: Binding | undefined,
): Promise<readonly Binding[] | undefined> => {
  if (binding === undefined) return [];
  const { namespace } = binding.metadata;
  if (isInLine(binding.metadata)) return undefined;
  if (binding.spec.workloadAffinityGroups === undefined || namespace === undefined) {
    return [binding];
  }
  return (await listAll(client, ResourceBinding, { namespace })).items;
};

const doable = async (client: Client, mapper: RestMapper, change: Told): Promise<DoableChange> => {
  const command = await commandFor(mapper, change);
  const allowed = await mayDo(client, mapper, change);
  return {
    ...change,
    ...(command === undefined ? {} : { command }),
    ...(allowed === undefined ? {} : { allowed }),
  };
};

/**
 * The smallest changes that would make work run, each tried on what whoever asks may see: clusters that they may not
 * see are not in it. None for work that runs.
 */
export const readSuggestions = async (
  client: Client,
  { resource, nowMs, template: read_, binding: bound, clusters, world: placement }: WorkSnapshot,
): Promise<readonly DoableSuggestion[]> => {
  const template = read(read_, undefined);
  const binding = read(bound, undefined);
  if ('hidden' in clusters || template === undefined) return [];
  if (binding !== undefined && runs(binding)) return [];
  try {
    const bindings = await bindingsAround(client, binding);
    const { world } = await readWorld(client, resource.namespace ?? 'default', nowMs, {
      placed: { clusters: clusters.value, facts: placement.clusters },
      ...(bindings === undefined ? {} : { bindings }),
    });
    const found = suggest({ ...world, templates: [named(template, resource)] }, resource);
    const mapper = new RestMapper(client);
    return await Promise.all(
      found.map(async ({ changes, to }) => ({
        changes: await Promise.all(changes.map((change) => doable(client, mapper, change))),
        to,
      })),
    );
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
};
