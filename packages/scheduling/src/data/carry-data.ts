import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { runsToCompletion } from '../interpreter/completion-checks.ts';
import type { ClaimData } from './claim-data.ts';
import { combinePlacement, inAll } from './combine-placement.ts';
import {
  BASE_PLACEMENT,
  basePlacementOf,
  type CarriedData,
  CLAIMED_DATA,
  HELD_FOR,
  PLACEMENT_INJECTED,
  PREFERRED_CLUSTERS,
} from './data-marks.ts';
import { claimedData, sourceData } from './describe-data.ts';

/** The binding as a request writes it. */
export interface BindingDraft {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: BindingSpec;
}

const byName = ({ claim: a }: ClaimData, { claim: b }: ClaimData): number =>
  a.metadata.name < b.metadata.name ? -1 : 1;

/** True if the claim lets running work stay outside the data. */
const leavesRunning = (
  { spec: claim }: DataSourceClaim,
  { resource, clusters = [] }: BindingSpec,
) =>
  clusters.length > 0 &&
  (claim.onRunning === 'Keep' || (claim.onRunning !== 'Move' && runsToCompletion(resource)));

/** True if the claim is a preference: it scores clusters and excludes none. */
const isPreference = ({ claim }: ClaimData): boolean => claim.spec.preference !== undefined;

/** True if the claim blocks scheduling until it is bound. */
const mustWaitFor = (one: ClaimData, spec: BindingSpec): boolean =>
  one.source === undefined && !isPreference(one) && !leavesRunning(one.claim, spec);

const allowedBy = ({ claim, clusters }: ClaimData, spec: BindingSpec): readonly string[] =>
  leavesRunning(claim, spec)
    ? [...clusters, ...(spec.clusters ?? []).map(({ name }) => name)]
    : clusters;

/**
 * The policy's placement, without the data. A changed placement is a new one of the policy, and so
 * is any placement without the annotation. A placement that was combined with the data before, as
 * on the second pass of this mutation, keeps its base.
 */
const baseOf = (
  draft: BindingDraft,
  old: BindingDraft | undefined,
  allowedClusters: readonly string[] | undefined,
): Placement | undefined => {
  const { placement } = draft.spec;
  const basePlacement = basePlacementOf(draft.metadata);
  if (basePlacement === undefined || placement === undefined) return placement;
  const oldBase = old && basePlacementOf(old.metadata);
  if (oldBase !== undefined && sameJson(placement, old?.spec.placement)) return oldBase;
  const isCombined =
    allowedClusters !== undefined &&
    sameJson(combinePlacement(basePlacement, allowedClusters), placement);
  return isCombined ? basePlacement : placement;
};

const carriedBy = ({ claim, source }: ClaimData): CarriedData => {
  const { preference } = claim.spec;
  const preferencePart = present({ preference });
  return source === undefined
    ? { claim: claim.metadata.name, data: claimedData(claim), ...preferencePart }
    : {
        claim: claim.metadata.name,
        data: sourceData(source),
        source: source.metadata.name,
        ...preferencePart,
      };
};

type Marks = { readonly [annotation: string]: string };

const NO_MARKS: Marks = {};
const OWN: ReadonlySet<string> = new Set([
  PLACEMENT_INJECTED,
  BASE_PLACEMENT,
  CLAIMED_DATA,
  PREFERRED_CLUSTERS,
]);

/** The maximum of every score plugin. */
const HIGHEST = 100;

/** Bounds the size of the annotation; the clusters with the highest scores are kept. */
const MOST_CLUSTERS = 2000;

/**
 * Cluster scores from claims that are preferences: each claim adds its preference where its data
 * is.
 */
const preferredClusters = (
  preferences: readonly ClaimData[],
): { readonly [cluster: string]: number } => {
  const scores = new Map<string, number>();
  for (const { claim, clusters } of preferences) {
    const { preference = 0 } = claim.spec;
    for (const name of clusters) {
      scores.set(name, Math.min(HIGHEST, (scores.get(name) ?? 0) + preference));
    }
  }
  const best = [...scores]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_CLUSTERS)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(best);
};

/** Annotations of a binding with claims, whether or not they narrow its placement. */
const commonMarks = (entries: readonly ClaimData[], mustWait: boolean): Marks => {
  if (entries.length === 0) return NO_MARKS;
  const preferences = entries.filter(isPreference);
  return {
    [CLAIMED_DATA]: JSON.stringify(entries.map(carriedBy)),
    ...present({
      [PLACEMENT_INJECTED]: mustWait ? undefined : 'true',
      [PREFERRED_CLUSTERS]:
        preferences.length === 0 ? undefined : JSON.stringify(preferredClusters(preferences)),
    }),
  };
};

const withMarks = <M extends BindingDraft['metadata']>(metadata: M, marks: Marks): M => {
  const { annotations, ...rest } = metadata;
  const foreignEntries = Object.entries(annotations ?? {}).filter(([key]) => !OWN.has(key));
  const next = { ...Object.fromEntries(foreignEntries), ...marks };
  if (sameJson(next, annotations ?? {})) return metadata;
  return (Object.keys(next).length === 0 ? rest : { ...rest, annotations: next }) as M;
};

const hasMarks = ({ metadata: { annotations = {} } }: BindingDraft): boolean =>
  annotations[CLAIMED_DATA] !== undefined ||
  annotations[BASE_PLACEMENT] !== undefined ||
  annotations[PREFERRED_CLUSTERS] !== undefined ||
  annotations[PLACEMENT_INJECTED] !== undefined;

const put = <B extends BindingDraft>(draft: B, metadata: B['metadata'], spec: BindingSpec): B => {
  const isSame = sameJson(spec, draft.spec);
  return isSame && metadata === draft.metadata
    ? draft
    : { ...draft, metadata, spec: isSame ? draft.spec : spec };
};

/**
 * The admission's mutation of a binding: it intersects the policy's placement with the data of all
 * claims and records that in annotations. Work that waits for data is suspended in the same write,
 * before a scheduler can report it unschedulable. Returns the same object if nothing changes.
 * Bindings without a placement follow other work and are left alone.
 */
export const carryData = <B extends BindingDraft>(
  draft: B,
  old: BindingDraft | undefined,
  claims: readonly ClaimData[],
): B => {
  if (claims.length === 0 && !hasMarks(draft) && !(old && hasMarks(old))) return draft;
  const { spec } = draft;
  const claimsByName = claims.toSorted(byName);
  const musts = claimsByName.filter((one) => !isPreference(one));
  const allowedClusters =
    musts.length === 0 ? undefined : inAll(musts.map((one) => allowedBy(one, spec)));
  const base = baseOf(draft, old, allowedClusters);
  if (base === undefined) return put(draft, withMarks(draft.metadata, NO_MARKS), spec);
  const mustWait = musts.some((one) => mustWaitFor(one, spec));
  const common = commonMarks(claimsByName, mustWait);
  if (allowedClusters === undefined) {
    return put(draft, withMarks(draft.metadata, common), { ...spec, placement: base });
  }
  const placement = combinePlacement(base, allowedClusters);
  const isHeld = mustWait && spec.suspension?.scheduling !== true;
  const marks = {
    ...common,
    [BASE_PLACEMENT]: JSON.stringify(base),
    ...present({ [HELD_FOR]: isHeld ? 'data' : undefined }),
  };
  const suspension = isHeld ? { ...spec.suspension, scheduling: true } : spec.suspension;
  return put(draft, withMarks(draft.metadata, marks), {
    ...spec,
    placement,
    ...present({ suspension }),
  });
};

/** Result of the check before work is released. */
export interface Preflight {
  /** The placement includes the data of all claims. */
  readonly isReady: boolean;
  /**
   * The unbound claims. If it is empty and `isReady` is false, the placement is yet to be written.
   */
  readonly waits: readonly CarriedData[];
}

/** Checks before the release that all claims are bound and the placement includes their data. */
export const preflight = (binding: BindingDraft, claims: readonly ClaimData[]): Preflight => {
  const pendingClaims = claims.filter((one) => mustWaitFor(one, binding.spec)).toSorted(byName);
  const isReady = pendingClaims.length === 0 && carryData(binding, binding, claims) === binding;
  return { isReady, waits: pendingClaims.map(carriedBy) };
};
