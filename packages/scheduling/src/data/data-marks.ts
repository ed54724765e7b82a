import {
  type Placement,
  placement as placementSchema,
} from '@perigee/api/kinds/placement/placement';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { compileValidator } from '@perigee/schema/validate/validate';

type Annotated = Pick<ObjectMeta, 'annotations'>;

/** Set once the placement includes the data of all claims. Upstream's dispatcher reads it, too. */
export const PLACEMENT_INJECTED = 'datadependency.volcano.sh/placement-injected';

/** The policy's placement without the data, as JSON. */
export const BASE_PLACEMENT = 'policy.perigee.io/base-placement';

/** The claims whose data the placement includes, as JSON. */
export const CLAIMED_DATA = 'policy.perigee.io/claimed-data';

/** Cluster scores from claims that are preferences, as JSON. */
export const PREFERRED_CLUSTERS = 'policy.perigee.io/preferred-clusters';

/**
 * Marks a scheduling suspension as ours and names the cause. Without it, a user suspended
 * scheduling.
 */
export const HELD_FOR = 'policy.perigee.io/held-for';

/** A claim whose data a placement includes. */
export interface CarriedData {
  readonly claim: string;
  /** The data, for messages. */
  readonly data: string;
  /** The DataSource; absent while the claim is unbound. */
  readonly source?: string;
  /** Set for a claim that is a preference and leaves the placement alone. */
  readonly preference?: number;
}

const readJson = (text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const validatePlacement = compileValidator(placementSchema('As in the policy.').openapi);

/**
 * Reads the policy's placement; undefined if the binding has no data. Anyone who may write bindings
 * may forge the annotation: an invalid placement is ignored.
 */
export const basePlacementOf = ({ annotations }: Annotated): Placement | undefined => {
  const value = readJson(annotations?.[BASE_PLACEMENT]);
  return isJsonObject(value as JsonValue) && validatePlacement(value as JsonObject).length === 0
    ? (value as Placement)
    : undefined;
};

const isCarried = (value: unknown): value is CarriedData => {
  const { claim, data } = { ...(value as Partial<CarriedData>) };
  return typeof claim === 'string' && typeof data === 'string';
};

/**
 * Reads the claims whose data the placement includes. Anyone who may write bindings may forge it.
 */
export const carriedDataOf = ({ annotations }: Annotated): readonly CarriedData[] => {
  const list = readJson(annotations?.[CLAIMED_DATA]);
  return Array.isArray(list) ? list.filter(isCarried) : [];
};

/** Reads the cluster scores by data; undefined if no claim is a preference. */
export const preferredClustersOf = ({
  annotations,
}: Annotated): { readonly [cluster: string]: number } | undefined => {
  const list = readJson(annotations?.[PREFERRED_CLUSTERS]);
  if (!isJsonObject(list)) return undefined;
  const isScore = (one: [string, unknown]): one is [string, number] => typeof one[1] === 'number';
  return Object.fromEntries(Object.entries(list).filter(isScore));
};
