import { admit } from '@perigee/api/kind/admit';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { readProfile } from '@perigee/registration/profile/read-profile';
import { InvalidObjectError, required } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import type { SourceDocument } from './read-documents.ts';

/** A valid description of a cluster, and its file for messages. */
export interface DescribedCluster {
  readonly where: string;
  readonly cluster: JsonObject;
  readonly warnings: readonly string[];
}

const GROUP = 'globalscheduler.com/';

const isProfile = (value: JsonObject): boolean =>
  'cluster_profile' in value || 'cluster_name' in value;

/** Renames the top-level fields that the Cluster design spells differently. */
const fromDesign = (value: JsonObject): JsonObject => {
  const { apiversion, Name: name, Spec: spec, Status: status, ...others } = value;
  const apiVersion = others.apiVersion ?? apiversion;
  return {
    ...others,
    // In the design `v1` is its own version; for Kubernetes it would be the core group.
    apiVersion: apiVersion === 'v1' ? undefined : apiVersion,
    ...present({ metadata: name === undefined ? undefined : { name }, spec, status }),
  };
};

const isNamed = ({ metadata }: JsonObject): boolean => isJsonObject(metadata) && !!metadata.name;

const requireCluster = ({ where, value }: SourceDocument): JsonObject => {
  if (!isJsonObject(value)) {
    throw new CommandError(EXIT.invalid, `${where} does not describe a cluster, but a bare value`);
  }
  const { kind = 'Cluster', apiVersion } = value;
  const isOther = typeof apiVersion === 'string' && apiVersion !== 'v1';
  if (kind !== 'Cluster' || (isOther && !apiVersion.startsWith(GROUP))) {
    const what = isOther ? `${kind} of ${apiVersion}` : kind;
    throw new CommandError(
      EXIT.invalid,
      `${where} describes a ${what}; only clusters of ${GROUP}v1 are registered, others go with "kubectl apply"`,
    );
  }
  return value;
};

const readOne = (document: SourceDocument): DescribedCluster => {
  const { where } = document;
  const value = requireCluster(document);
  try {
    const { cluster, warnings } = isProfile(value)
      ? readProfile(value)
      : { cluster: fromDesign(value), warnings: [] };
    if (!isNamed(cluster)) throw new InvalidObjectError([required('metadata.name')]);
    const { unknownFields } = admit(ClusterRecord, cluster);
    const unknown = unknownFields.map((path) => `unknown field "${path}": it was left out`);
    return { where, cluster, warnings: [...warnings, ...unknown] };
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    // Errors without a field only mean that the rest was not validated, unless there are no others.
    const about = error.errors.filter(({ field }) => field !== '<nil>');
    const lines = about.map(({ field, message }) => `\n  ${field}: ${message}`);
    if (about.length === 0) lines.push(`\n  ${error.errors[0]?.message}`);
    throw new CommandError(EXIT.invalid, `${where} is not a valid cluster:${lines.join('')}`);
  }
};

const itemsOf = (document: SourceDocument): readonly SourceDocument[] => {
  const { where, value } = document;
  const items: JsonValue | undefined = Array.isArray(value)
    ? value
    : isJsonObject(value) && /List$/.test(String(value.kind))
      ? value.items
      : undefined;
  if (!Array.isArray(items)) return [document];
  return items.map((item, at) => ({ where: `${where}, item ${at + 1}`, value: item }));
};

/**
 * Reads clusters as Kubernetes objects, alone or in lists, or as profiles of the REST API. All are validated before
 * the first is registered.
 */
export const readClusters = (
  documents: readonly SourceDocument[],
): { readonly clusters: readonly DescribedCluster[]; readonly failures: readonly unknown[] } => {
  const clusters: DescribedCluster[] = [];
  const failures: unknown[] = [];
  for (const document of documents.flatMap(itemsOf)) {
    try {
      clusters.push(readOne(document));
    } catch (error) {
      failures.push(error);
    }
  }
  return { clusters, failures };
};
