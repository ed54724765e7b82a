import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { isNotFound } from '@perigee/kube/errors';
import type { Change, Put, World, WorldObjects } from '@perigee/scheduling/plan/world';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { isJsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
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
  readonly manifest: JsonObject & { readonly metadata: JsonObject };
  /** The object as the server would store it, by a dry run. */
  readonly storedObject: KubeObject;
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
  manifest: GivenObject['manifest'],
): Promise<KubeObject> => {
  const { namespace, name } = manifest.metadata;
  if (typeof name !== 'string') {
    return (await client.create(resource, manifest as never, { dryRun: true })) as KubeObject;
  }
  const ref = {
    name,
    ...present({ namespace: typeof namespace === 'string' ? namespace : undefined }),
  };
  const patch = {
    type: 'apply',
    body: manifest,
    fieldManager: FIELD_MANAGER,
    force: true,
  } as const;
  return (await client.patch(resource, ref, patch, { dryRun: true })) as KubeObject;
};

/** The refusal for a namespace that has to be there first, when the files themselves would only create it. */
const withNamespaceHint = (
  error: unknown,
  { where, namespace }: { readonly where: string; readonly namespace: JsonValue | undefined },
  givenObjects: readonly GivenObject[],
): unknown => {
  const isGiven = givenObjects.some(
    ({ resource, manifest }) =>
      resource.kind === 'Namespace' &&
      resource.group === '' &&
      manifest.metadata.name === namespace,
  );
  if (!isGiven || !isNotFound(error)) return error;
  return new CommandError(
    EXIT.invalid,
    `${where} is in the namespace ${namespace}, which these files would only create, and a server checks nothing in a ` +
      `namespace that is not there: kubectl create namespace ${namespace}`,
  );
};

/** The objects of files as the server would store them; throws if the server refuses one. */
export const readGiven = async (
  client: Client,
  mapper: RestMapper,
  documents: readonly SourceDocument[],
  namespace: string,
): Promise<readonly GivenObject[]> => {
  const givenObjects: GivenObject[] = [];
  for (const { where, value } of documents.flatMap(unlisted)) {
    const { apiVersion, kind, metadata } = words(value, where);
    const resource = await mapper.byKind(apiVersion, kind);
    const isNamespaced = resource.scope === 'Namespaced' && metadata.namespace === undefined;
    const manifest: GivenObject['manifest'] = {
      ...(value as JsonObject),
      metadata: isNamespaced ? { ...metadata, namespace } : metadata,
    };
    const { status: _, ...withoutStatus } = manifest;
    const storedObject = await dryRun(
      client,
      resource,
      withoutStatus as GivenObject['manifest'],
    ).catch((error: unknown) => {
      const place = { where, namespace: manifest.metadata.namespace };
      throw withNamespaceHint(error, place, givenObjects);
    });
    givenObjects.push({
      where,
      resource,
      manifest,
      storedObject: { ...storedObject, apiVersion, kind },
    });
  }
  return givenObjects;
};

const targetsOf = (workloads: unknown): Change => ({
  kind: 'trigger',
  spec: { targetRefResource: workloads } as never,
});

/** The change of the world that an object causes in a plan. */
export const changeBy = (
  { resource, manifest, storedObject }: GivenObject,
  world: World,
): Change => {
  const id = `${resource.group} ${resource.kind}`;
  const spec = (storedObject as never as { readonly spec?: JsonObject }).spec ?? {};
  if (id === 'policy.karmada.io ScheduleTrigger') return { kind: 'trigger', spec: spec as never };
  if (id === 'apps.karmada.io WorkloadRebalancer') return targetsOf(spec.workloads);
  if (id === 'globalscheduler.com Cluster' || KINDS[id] === 'cluster') {
    return { kind: 'put', of: 'cluster', object: joinedCluster(storedObject, manifest, world) };
  }
  return { kind: 'put', of: KINDS[id] ?? 'template', object: storedObject } as Put;
};
