import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { findCondition } from '@perigee/api/values/conditions';
import { formatLabelSelector, labelSelectorOf } from '@perigee/api/values/label-selector';
import { ParseError } from '@perigee/schema/errors';
import { claimedData, sourceData } from '../../data/describe-data.ts';
import { conditionParts, fact, nameList, type ObjectExplanation } from './object-explanation.ts';

/** Title of the work that a claim is for. */
const workOfClaim = ({ spec }: DataSourceClaim): string => {
  const { workload, workloadSelector } = spec;
  if (workload !== undefined) return `${workload.kind} ${workload.name}`;
  try {
    return formatLabelSelector(labelSelectorOf(workloadSelector)) || 'all work';
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return '(unreadable)';
  }
};

/** Explains the data that a claim is bound to, or the reason why it waits. */
export const explainClaim = (
  claim: DataSourceClaim,
  source: DataSource | undefined,
): ObjectExplanation => {
  const { namespace = '', name } = claim.metadata;
  const { boundDataSource, conditions = [] } = claim.status ?? {};
  const [boundCondition, provisionedCondition, copiedCondition] = [
    'Bound',
    'Provisioned',
    'Copied',
  ].map((type) => findCondition(conditions, type));
  const blockingCondition =
    provisionedCondition?.status === 'False' ? provisionedCondition : boundCondition;
  const clusters = source?.status?.clusters ?? [];
  const work = workOfClaim(claim);
  const place =
    clusters.length === 0
      ? 'no registered cluster has that data, so that its work waits'
      : `${work} may run in ${nameList(clusters)}`;
  const isWell = boundDataSource !== undefined && (source === undefined || clusters.length > 0);
  return {
    resource: {
      apiVersion: apiVersionOf(DataSourceClaim),
      kind: 'DataSourceClaim',
      namespace,
      name,
    },
    state: isWell ? 'well' : 'waiting',
    summary:
      boundDataSource === undefined
        ? (blockingCondition?.message ?? 'no controller has looked at it yet')
        : `bound to the DataSource ${boundDataSource}${source === undefined ? '' : `: ${place}`}`,
    ...conditionParts(
      'DataSourceClaim',
      boundDataSource === undefined ? blockingCondition : undefined,
    ),
    facts: [
      ...fact('work', work),
      ...fact('asks for', claimedData(claim)),
      ...fact('got', source && sourceData(source)),
      ...fact('copy', copiedCondition?.message),
    ],
    conditions,
    commands:
      boundDataSource === undefined
        ? ['perigee data']
        : [`perigee data plan ${name} -n ${namespace}`],
  };
};

/** Explains the clusters of data, and its claims. */
export const explainSource = (source: DataSource): ObjectExplanation => {
  const { metadata, status } = source;
  const { clusters = [], claimRefs = [], boundClaims = 0, conditions = [] } = status ?? {};
  const ready = findCondition(conditions, 'Ready');
  const isReady = ready?.status === 'True';
  const users = claimRefs.map(({ namespace = '', name = '' }) => `${namespace}/${name}`);
  return {
    resource: { apiVersion: apiVersionOf(DataSource), kind: 'DataSource', name: metadata.name },
    state: isReady ? 'well' : 'waiting',
    summary: isReady
      ? `${sourceData(source)} is in ${nameList(clusters)}, for ${boundClaims} ${boundClaims === 1 ? 'claim' : 'claims'}`
      : (ready?.message ?? 'no controller has looked at it yet'),
    ...conditionParts('DataSource', isReady ? undefined : ready),
    facts: [...fact('clusters', nameList(clusters, 20)), ...fact('claims', nameList(users))],
    conditions,
    commands: [`perigee data whereis ${metadata.name}`],
  };
};
