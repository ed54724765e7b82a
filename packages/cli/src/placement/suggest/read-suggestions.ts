import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { isForbidden } from '@perigee/kube/errors';
import type { WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import { read, type WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { isInLine } from '@perigee/scheduling/placement/binding/queue-marks';
import type { Obstacle } from '@perigee/scheduling/suggest/obstacle';
import { obstaclesOf } from '@perigee/scheduling/suggest/obstacles-of';
import { startNeeds } from '@perigee/scheduling/suggest/start-needs';
import { runs } from '@perigee/scheduling/suggest/stuck-work';
import { suggest } from '@perigee/scheduling/suggest/suggest';
import type { Suggestion } from '@perigee/scheduling/suggest/suggestion';
import { present } from '@perigee/schema/present';
import { readWorld } from '../plan/read-world.ts';
import { commandFor } from './command-for.ts';
import { mayDo } from './may-do.ts';
import { readNamesakes } from './read-namesakes.ts';
import { sendDefinition } from './send-definition.ts';

type SuggestedChange = Suggestion['changes'][number];

/** A change, with its command and the user's right to make it. */
export interface DoableChange extends SuggestedChange {
  /** The command line; absent if no single command does it. */
  readonly command?: string;
  /** True if the user may do it; absent if the API does not decide that. */
  readonly allowed?: boolean;
}

export interface DoableSuggestion {
  readonly changes: readonly DoableChange[];
  readonly to: readonly TargetCluster[];
}

const withKind = (template: Template, { apiVersion, kind }: NamedResource): Template =>
  ({ ...template, apiVersion, kind }) as Template;

/** More related bindings than this are left out: reading them would take longer than a user waits. */
const MOST_AROUND = 200;

const labelOf = ({ metadata }: Binding): string | undefined =>
  Object.entries(metadata.labels ?? {})
    .filter(([key, value]) => key.endsWith('propagationpolicy.karmada.io/permanent-id') && value)
    .map(([key, value]) => `${key}=${value}`)[0];

/** Bindings of the same policy are affected by changes to it, and compete for the same room. */
const bindingsOfPolicy = async (client: Client, binding: Binding): Promise<readonly Binding[]> => {
  const labelSelector = labelOf(binding);
  const { namespace } = binding.metadata;
  if (labelSelector === undefined || namespace === undefined) return [binding];
  const options = { namespace, labelSelector, limit: MOST_AROUND };
  const { items, metadata } = await client.list(ResourceBinding, options);
  return metadata.continue ? [binding] : items;
};

/** The bindings that can influence decisions about this one; undefined for all. */
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

/** The templates of the bindings; none if there are too many. */
const templatesOf = async (
  client: Client,
  mapper: RestMapper,
  bindings: readonly Binding[],
): Promise<readonly Template[]> => {
  if (bindings.length > MOST_AROUND) return [];
  const templates = await Promise.all(
    bindings.map(async ({ spec: { resource } }) => {
      const kind = await mapper.byKind(resource.apiVersion, resource.kind);
      const { namespace, name } = resource;
      const ref = namespace === undefined ? { name } : { namespace, name };
      const template = (await getOrUndefined(client, kind, ref)) as Template | undefined;
      return template && withKind(template, resource);
    }),
  );
  return templates.filter((template) => template !== undefined);
};

const doable = async (
  client: Client,
  mapper: RestMapper,
  proposal: SuggestedChange,
): Promise<DoableChange> => {
  const sent = proposal.serves && (await sendDefinition(client, mapper, proposal.serves));
  const change = { ...proposal, ...sent };
  const command = await commandFor(mapper, change);
  const allowed = await mayDo(client, mapper, change);
  return {
    ...change,
    ...present({ command, allowed }),
  };
};

/** The kind that has to be readable for a suggestion to be true. */
const RESTS_ON: { readonly [reason in SuggestedChange['reason']]?: string } = {
  FixPriorityClass: 'PriorityClass',
  AddQueue: 'Queue',
  FixQueueName: 'Queue',
  AddData: 'DataSource',
  FixDataName: 'DataSource',
};

const isCertain = ({ changes }: Suggestion, hiddenKinds: readonly string[]): boolean =>
  changes.every(({ reason, target }) => {
    const isWide = reason === 'FixDependentOverrides' && target?.namespace === undefined;
    const kind = isWide ? 'ClusterOverridePolicy' : RESTS_ON[reason];
    return kind === undefined || !hiddenKinds.includes(kind);
  });

/** Obstacles that show only when the work is placed: a suggestion for work that is held has to clear them as well. */
const HIDDEN_BEHIND_A_HOLD: readonly Obstacle[] = [
  { kind: 'override' },
  { kind: 'idle' },
  { kind: 'paused' },
];

/**
 * True if the control plane has all objects that the pods lack in members, and whatever else they cannot start
 * without: no policy can send a missing one.
 */
const areThere = async (
  client: Client,
  mapper: RestMapper,
  obstacles: readonly Obstacle[],
  { apiVersion, kind, namespace }: NamedResource,
  template: Template,
): Promise<boolean> => {
  const missing = obstacles.filter((one) => one.kind === 'dependency');
  if (missing.length === 0) return true;
  const own = withKind(template, { apiVersion, kind, name: template.metadata.name });
  const needs = [...missing.map(({ of, name }) => ({ kind: of, name })), ...startNeeds(own)];
  const objects = needs.map(async (one) => {
    const ref = namespace === undefined ? { name: one.name } : { namespace, name: one.name };
    return getOrUndefined(client, await mapper.byKind('v1', one.kind), ref);
  });
  return (await Promise.all(objects)).every((object) => object !== undefined);
};

const MOST = 3;
/** More suggestions are tried than shown, so that those that the user may make come first. */
const MOST_TRIED = 6;

const mayAll = ({ changes }: DoableSuggestion): boolean =>
  changes.every(({ allowed }) => allowed !== false);

/**
 * The smallest changes that would make a workload run, tried by simulation on the clusters that the user may see.
 * Only for work that is not placed or not healthy.
 */
export const readSuggestions = async (
  client: Client,
  mapper: RestMapper,
  snapshot: WorkSnapshot,
  explanation: WorkExplanation,
): Promise<readonly DoableSuggestion[]> => {
  const { resource, nowMs, clusters, world: placement, policies } = snapshot;
  const template = read(snapshot.template, undefined);
  const binding = read(snapshot.binding, undefined);
  if ('hidden' in clusters || template === undefined) return [];
  const isPlaced = binding !== undefined && runs(binding);
  const knownObstacles = obstaclesOf(explanation, snapshot, isPlaced);
  const obstacles =
    isPlaced || knownObstacles === undefined
      ? knownObstacles
      : [...HIDDEN_BEHIND_A_HOLD, ...knownObstacles];
  if (obstacles === undefined || (isPlaced && obstacles.length === 0)) return [];
  const areOverridesAsked = obstacles.some(({ kind }) => kind === 'override' || kind === 'nodes');
  try {
    if (!(await areThere(client, mapper, obstacles, resource, template))) return [];
    const bindings = await bindingsAround(client, binding);
    const { world, hiddenKinds } = await readWorld(client, resource.namespace ?? 'default', nowMs, {
      placementClusters: { clusters: clusters.value, facts: placement.clusters },
      ...present({
        bindings,
        policies: 'value' in policies && snapshot.arePoliciesComplete ? policies.value : undefined,
      }),
      // Overrides do not change the placement of other work.
      ...present({ overrides: areOverridesAsked ? undefined : [] }),
    });
    const others = (bindings ?? []).filter((one) => one.metadata.uid !== binding?.metadata.uid);
    // Other bindings may be scheduled first and take the room that a change frees: a suggestion has to hold even
    // then.
    const own = withKind(template, resource);
    const namesakes =
      binding === undefined ? await readNamesakes(client, mapper, own, world.policies) : [];
    const templates = [...(await templatesOf(client, mapper, others)), ...namesakes, own];
    const suggestions = suggest({ ...world, templates }, resource, { most: MOST_TRIED, obstacles });
    const doableSuggestions = await Promise.all(
      suggestions
        .filter((one) => isCertain(one, hiddenKinds))
        .map(async ({ changes, to }) => ({
          changes: await Promise.all(changes.map((change) => doable(client, mapper, change))),
          to,
        })),
    );
    return doableSuggestions
      .toSorted((a, b) => Number(mayAll(b)) - Number(mayAll(a)))
      .slice(0, MOST);
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
};
