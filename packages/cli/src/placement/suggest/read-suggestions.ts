import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { isForbidden } from '@perigee/kube/errors';
import { read, type WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { isInLine } from '@perigee/scheduling/queues/queue-marks';
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

/** More work than this beside it is left out: to read it would take longer than whoever asks waits. */
const MOST_AROUND = 200;

const labelOf = ({ metadata }: Binding): string | undefined =>
  Object.entries(metadata.labels ?? {})
    .filter(([key, value]) => key.endsWith('propagationpolicy.karmada.io/permanent-id') && value)
    .map(([key, value]) => `${key}=${value}`)[0];

/** Work of the same policy follows a change of it as well, and may be in the way. */
const bindingsOfPolicy = async (client: Client, binding: Binding): Promise<readonly Binding[]> => {
  const labelSelector = labelOf(binding);
  const { namespace } = binding.metadata;
  if (labelSelector === undefined || namespace === undefined) return [binding];
  const options = { namespace, labelSelector, limit: MOST_AROUND };
  const { items, metadata } = await client.list(ResourceBinding, options);
  return metadata.continue ? [binding] : items;
};

/** The bindings that decisions about a binding may bear on; nothing for all of them. */
const bindingsAround = async (
  client: Client,
  binding: Binding | undefined,
): Promise<readonly Binding[] | undefined> => {
  if (binding === undefined) return [];
  if (isInLine(binding.metadata)) return undefined;
  const { namespace } = binding.metadata;
  if (binding.spec.workloadAffinityGroups === undefined || namespace === undefined) {
    return bindingsOfPolicy(client, binding);
  }
  return (await listAll(client, ResourceBinding, { namespace })).items;
};

/** The templates of some bindings, as far as there are few of them. */
const templatesOf = async (
  client: Client,
  mapper: RestMapper,
  bindings: readonly Binding[],
): Promise<readonly Template[]> => {
  if (bindings.length > MOST_AROUND) return [];
  const found = await Promise.all(
    bindings.map(async ({ spec: { resource } }) => {
      const kind = await mapper.byKind(resource.apiVersion, resource.kind);
      const { namespace, name } = resource;
      const ref = namespace === undefined ? { name } : { namespace, name };
      const template = (await getOrUndefined(client, kind, ref)) as Template | undefined;
      return template && named(template, resource);
    }),
  );
  return found.filter((template) => template !== undefined);
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
 * see are not in it. For work that runs not as it should.
 */
export const readSuggestions = async (
  client: Client,
  mapper: RestMapper,
  snapshot: WorkSnapshot,
): Promise<readonly DoableSuggestion[]> => {
  const { resource, nowMs, clusters, world: placement, policies } = snapshot;
  const template = read(snapshot.template, undefined);
  const binding = read(snapshot.binding, undefined);
  if ('hidden' in clusters || template === undefined) return [];
  try {
    const bindings = await bindingsAround(client, binding);
    const { world } = await readWorld(client, resource.namespace ?? 'default', nowMs, {
      placed: { clusters: clusters.value, facts: placement.clusters },
      ...(bindings === undefined ? {} : { bindings }),
      ...('value' in policies && snapshot.arePoliciesComplete ? { policies: policies.value } : {}),
      // None of the changes is about what becomes of objects in members.
      overrides: [],
    });
    const others = (bindings ?? []).filter((one) => one.metadata.uid !== binding?.metadata.uid);
    // Others may be decided about first, and take what a change opens: a suggestion has to hold even then.
    const templates = [...(await templatesOf(client, mapper, others)), named(template, resource)];
    const found = suggest({ ...world, templates }, resource);
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
