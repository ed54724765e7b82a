import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { findCondition, isConditionTrue } from '@perigee/api/values/conditions';
import { formatLabelSelector, labelSelectorOf } from '@perigee/api/values/label-selector';
import { claimedData, sourceData } from '@perigee/scheduling/data/describe-data';
import { clustersOf, locatedCluster } from '@perigee/scheduling/data/locality';
import { askedFor } from '@perigee/scheduling/data/provision/made-source';
import { present } from '@perigee/schema/present';

export interface SourceLine {
  readonly source: string;
  /** The name of the data, as users know it. */
  readonly data: string;
  readonly size?: string;
  /** The clusters that hold it, and whether they are Ready. */
  readonly clusters: readonly { readonly name: string; readonly isReady: boolean }[];
  readonly claims: number;
  /** True if a provisioner created it. */
  readonly isProvisioned: boolean;
}

export interface ClaimLine {
  readonly namespace: string;
  readonly claim: string;
  readonly data: string;
  /** The workload that needs the data. */
  readonly work: string;
  /** Absent while the claim waits. */
  readonly source?: string;
  /** Set if the data is only preferred: the work also runs without it. */
  readonly preference?: number;
  readonly since: string;
  /** The reason for the wait: from the provisioner's condition if there is one, otherwise from Bound. */
  readonly reason?: string;
  readonly message?: string;
  /** The state of the copy that the claim asks for. */
  readonly copy?: {
    readonly reason: string;
    readonly message: string;
    readonly operation?: string;
  };
}

export interface DataOverview {
  readonly sources: readonly SourceLine[];
  readonly claims: readonly ClaimLine[];
}

const workOf = ({ spec }: DataSourceClaim): string => {
  const { workload, workloadSelector } = spec;
  if (workload !== undefined) return `${workload.kind} ${workload.name}`;
  try {
    return formatLabelSelector(labelSelectorOf(workloadSelector)) || 'all work';
  } catch {
    return '(unreadable)';
  }
};

const waitingFor = ({ status }: DataSourceClaim): Pick<ClaimLine, 'reason' | 'message'> => {
  const boundCondition = findCondition(status?.conditions, 'Bound');
  const provisioned = findCondition(status?.conditions, 'Provisioned');
  const condition = provisioned?.status === 'False' ? provisioned : boundCondition;
  return condition === undefined
    ? { reason: '(undecided)', message: 'no controller has looked at it yet' }
    : { reason: condition.reason, message: condition.message };
};

const copyOf = ({ status }: DataSourceClaim): Pick<ClaimLine, 'copy'> => {
  const copiedCondition = findCondition(status?.conditions, 'Copied');
  const operation = status?.copy?.operation;
  if (copiedCondition === undefined || copiedCondition.reason === 'NothingWaits') return {};
  const { reason, message } = copiedCondition;
  return { copy: { reason, message, ...present({ operation }) } };
};

const claimLine = (claim: DataSourceClaim): ClaimLine => {
  const { metadata, spec, status } = claim;
  const { preference } = spec;
  const boundCondition = findCondition(status?.conditions, 'Bound');
  return {
    namespace: metadata.namespace ?? '',
    claim: metadata.name,
    data: claimedData(claim),
    work: workOf(claim),
    since: boundCondition?.lastTransitionTime ?? metadata.creationTimestamp,
    ...present({ preference }),
    ...(status?.boundDataSource === undefined
      ? waitingFor(claim)
      : { source: status.boundDataSource }),
    ...copyOf(claim),
  };
};

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const order = (a: ClaimLine, b: ClaimLine): number =>
  Number(a.source !== undefined) - Number(b.source !== undefined) ||
  byText(a.since, b.since) ||
  byText(`${a.namespace}/${a.claim}`, `${b.namespace}/${b.claim}`);

/** Sources with their clusters, and claims; among the waiting, the oldest first. */
export const dataOverview = (
  sources: readonly DataSource[],
  claims: readonly DataSourceClaim[],
  clusters: readonly MemberCluster[],
): DataOverview => {
  const located = new Map(clusters.map((one) => [one.metadata.name, locatedCluster(one)]));
  const ready = new Set(
    clusters
      .filter(({ status }) => isConditionTrue(status?.conditions, 'Ready'))
      .map(({ metadata }) => metadata.name),
  );
  return {
    sources: sources
      .map((source): SourceLine => {
        const { size } = source.spec;
        const names = clustersOf(source.spec.locality, located);
        return {
          source: source.metadata.name,
          data: sourceData(source),
          ...present({ size: size === undefined ? undefined : String(size) }),
          clusters: names.map((name) => ({ name, isReady: ready.has(name) })),
          claims: source.status?.boundClaims ?? 0,
          isProvisioned: askedFor(source) !== undefined,
        };
      })
      .sort((a, b) => byText(a.data, b.data) || byText(a.source, b.source)),
    claims: claims.map(claimLine).sort(order),
  };
};
