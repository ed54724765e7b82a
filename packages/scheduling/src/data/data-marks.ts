import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import {
  type Placement,
  placement as placementSchema,
} from '@perigee/api/kinds/placement/placement';

import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { compileValidator } from '@perigee/api/schema/validate';

type Annotated = Pick<ObjectMeta, 'annotations'>;

/** Says that the placement carries the data of all claims; upstream's dispatcher looks for it, too. */
export const PLACEMENT_INJECTED = 'datadependency.volcano.sh/placement-injected';

/** Holds the placement that the policy wants, without the data, as JSON. */
export const BASE_PLACEMENT = 'policy.perigee.io/base-placement';

/** Lists the claims whose data the placement carries, as JSON. */
export const CLAIMED_DATA = 'policy.perigee.io/claimed-data';

/** Holds the scores of clusters that have data which the work rather runs with, as JSON. */
export const PREFERRED_CLUSTERS = 'policy.perigee.io/preferred-clusters';

/** Says that scheduling is suspended by us, and what the work waits for. Without it, a user did it. */
export const HELD_FOR = 'policy.perigee.io/held-for';

/** A claim whose data a placement carries. */
export interface CarriedData {
  readonly claim: string;
  /** The data, for people. */
  readonly data: string;
  /** The DataSource; absent while there is none. */
  readonly source?: string;
  /** Given when the claim is a wish, which leaves the placement as it is. */
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
 * The placement that the policy wants; absent when the binding carries no data. Anybody who may write bindings may
 * have written the annotation: what is no placement does not count.
 */
export const basePlacementOf = ({ annotations }: Annotated): Placement | undefined => {
  const read = readJson(annotations?.[BASE_PLACEMENT]);
  return isJsonObject(read as JsonValue) && validatePlacement(read as JsonObject).length === 0
    ? (read as Placement)
    : undefined;
};

const isCarried = (value: unknown): value is CarriedData => {
  const { claim, data } = { ...(value as Partial<CarriedData>) };
  return typeof claim === 'string' && typeof data === 'string';
};

/** The claims whose data the placement carries. Anybody who may write bindings may have written the annotation. */
export const carriedDataOf = ({ annotations }: Annotated): readonly CarriedData[] => {
  const read = readJson(annotations?.[CLAIMED_DATA]);
  return Array.isArray(read) ? read.filter(isCarried) : [];
};

/** The scores of clusters for the data that they have; absent when no claim is a wish. */
export const preferredClustersOf = ({
  annotations,
}: Annotated): { readonly [cluster: string]: number } | undefined => {
  const read = readJson(annotations?.[PREFERRED_CLUSTERS]);
  if (!isJsonObject(read)) return undefined;
  const isScore = (one: [string, unknown]): one is [string, number] => typeof one[1] === 'number';
  return Object.fromEntries(Object.entries(read).filter(isScore));
};
