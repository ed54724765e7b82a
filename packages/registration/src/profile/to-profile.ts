import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { type NamedSchema, SPEC_NAMES } from './profile-names.ts';

/** A cluster as the REST API shows it. */
export interface ClusterProfile {
  readonly cluster_id: string;
  readonly cluster_name: string;
  /** Absent when there are none. */
  readonly cluster_labels?: { readonly [key: string]: string };
  readonly cluster_spec: JsonObject;
  readonly cluster_status: JsonObject;
}

/** Renames and orders the fields of a value as a profile has them. */
const profileValue = (value: JsonValue, node: NamedSchema | undefined): JsonValue => {
  if (node === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => profileValue(item, node.items));
  if (!isJsonObject(value) || node.fields.size === 0) return value;
  const result: { [name: string]: JsonValue } = {};
  for (const [name, { shownAs, node: inner }] of node.fields) {
    const field = value[name];
    if (field !== undefined) result[shownAs] = profileValue(field, inner);
  }
  return result;
};

/** A record of the inventory in the names of the Global Resource Scheduler. */
export const toProfile = ({ metadata, spec, status }: ClusterRecord): ClusterProfile => {
  const { uid, name, labels = {} } = metadata;
  return {
    cluster_id: uid,
    cluster_name: name,
    ...present({ cluster_labels: Object.keys(labels).length === 0 ? undefined : labels }),
    cluster_spec: profileValue(spec as JsonObject, SPEC_NAMES) as JsonObject,
    // Without a status, no controller has probed the cluster yet.
    cluster_status: { phase: 'Pending', ...(status as JsonObject | undefined) },
  };
};
