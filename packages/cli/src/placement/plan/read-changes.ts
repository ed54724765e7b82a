import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Change, Put, World, WorldObjects } from '@perigee/scheduling/plan/world';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { isJsonObject } from '@perigee/schema/json';
import type { SourceDocument } from '../../clusters/registration/read-documents.ts';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { joinedCluster } from './joined-cluster.ts';

export const FIELD_MANAGER = 'perigee';

/** An object that a file holds, as the server would store it. */
export interface GivenObject {
  readonly where: string;
  readonly resource: ApiResource;
  /** The object as the file has it. */
  readonly written: JsonObject & { readonly metadata: JsonObject };
  /** The object as the server would store it, by a dry run. */
  readonly stored: KubeObject;
}

const KINDS: { readonly [kind: string]: keyof WorldObjects } = {
  'cluster.karmada.io Cluster': 'cluster',
  'policy.karmada.io PropagationPolicy': 'policy',
  'policy.karmada.io ClusterPropagationPolicy': 'policy',
  'policy.karmada.io OverridePolicy': 'override',
  'policy.karmada.io ClusterOverridePolicy': 'override',
  'policy.karmada.io ClusterTaintPolicy': 'taintPolicy',
  'datadependency.volcano.sh DataSourceClaim': 'claim',
  'datadependency.volcano.sh DataSource': 'source',
  'scheduling.volcano.sh Queue': 'queue',
  ' Namespace': 'namespace',
  'scheduling.k8s.io PriorityClass': 'priorityClass',
};

const words = (value: JsonValue, where: string) => {
  const { apiVersion, kind, metadata } = isJsonObject(value) ? value : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) {
    throw new CommandError(
      EXIT.invalid,
      `${where} is no Kubernetes object: it needs apiVersion, kind and metadata.name`,
    );
  }
  return { apiVersion, kind, metadata };
};

/** Replaces a List, as kubectl prints several objects, by its items. */
const unlisted = ({ where, value }: SourceDocument): readonly SourceDocument[] => {
  const { kind, items } = isJsonObject(value) ? value : {};
  if (kind !== 'List' || !Array.isArray(items)) return [{ where, value }];
  return items.map((item, at) => ({ where: `${where}, item ${at + 1}`, value: item as JsonValue }));
};

/** Asks the server what it would store: it checks rights and rules, fills in defaults, and writes nothing. */
const dryRun = async (
  client: Client,
  resource: ApiResource,
  written: GivenObject['written'],
): Promise<KubeObject> => {
  const { namespace, name } = written.metadata;
  if (typeof name !== 'string') {
    return (await client.create(resource, written as never, { dryRun: true })) as KubeObject;
  }
  const ref = { name, ...(typeof namespace === 'string' ? { namespace } : {}) };
  const patch = { type: 'apply', body: written, fieldManager: FIELD_MANAGER, force: true } as const;
  return (await client.patch(resource, ref, patch, { dryRun: true })) as KubeObject;
};

/** The objects of files as the server would store them; throws if the server refuses one. */
export const readGiven = async (
  client: Client,
  mapper: RestMapper,
  documents: readonly SourceDocument[],
  namespace: string,
): Promise<readonly GivenObject[]> => {
  const given: GivenObject[] = [];
  for (const { where, value } of documents.flatMap(unlisted)) {
    const { apiVersion, kind, metadata } = words(value, where);
    const resource = await mapper.byKind(apiVersion, kind);
    const isNamespaced = resource.scope === 'Namespaced' && metadata.namespace === undefined;
    const written: GivenObject['written'] = {
      ...(value as JsonObject),
      metadata: isNamespaced ? { ...metadata, namespace } : metadata,
    };
    const { status: _, ...applied } = written;
    const stored = await dryRun(client, resource, applied as GivenObject['written']);
    given.push({ where, resource, written, stored: { ...stored, apiVersion, kind } });
  }
  return given;
};

const targetsOf = (workloads: unknown): Change => ({
  kind: 'trigger',
  spec: { targetRefResource: workloads } as never,
});

/** The change of the world that an object causes in a plan. */
export const changeBy = ({ resource, written, stored }: GivenObject, world: World): Change => {
  const id = `${resource.group} ${resource.kind}`;
  const spec = (stored as never as { readonly spec?: JsonObject }).spec ?? {};
  if (id === 'policy.karmada.io ScheduleTrigger') return { kind: 'trigger', spec: spec as never };
  if (id === 'apps.karmada.io WorkloadRebalancer') return targetsOf(spec.workloads);
  if (id === 'globalscheduler.com Cluster' || KINDS[id] === 'cluster') {
    return { kind: 'put', of: 'cluster', object: joinedCluster(stored, written, world) };
  }
  return { kind: 'put', of: KINDS[id] ?? 'template', object: stored } as Put;
};
