import { formatAge } from '../output/age.ts';
import { formatBytes } from '../output/amount.ts';
import { formatReasonsTable } from '../output/reasons-table.ts';
import { formatTable, type TableLayout } from '../output/table.ts';
import type { ClaimLine, DataOverview, SourceLine } from './data-overview.ts';

export interface DataLayout extends TableLayout {
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** Clusters per cell; the others are only counted. */
const SHOWN = 5;

const clusterText = ({ name, isReady }: SourceLine['clusters'][number]): string =>
  isReady ? name : `${name} (not ready)`;

const clustersText = ({ clusters }: SourceLine, isWide: boolean): string => {
  if (clusters.length === 0) return '(nowhere)';
  const visibleClusters = isWide ? clusters : clusters.slice(0, SHOWN);
  const more = clusters.length - visibleClusters.length;
  return [...visibleClusters.map(clusterText), ...(more > 0 ? [`+${more}`] : [])].join(', ');
};

const formatSources = (sources: readonly SourceLine[], layout: DataLayout): string => {
  const { isWide = false } = layout;
  const rows = sources.map((line) => [
    line.data,
    clustersText(line, isWide),
    String(line.claims),
    line.size === undefined ? '-' : formatBytes(line.size),
    line.source,
    ...(isWide ? [line.isProvisioned ? 'a provisioner' : 'somebody'] : []),
  ]);
  const header = ['DATA', 'CLUSTERS', 'CLAIMS', 'SIZE', 'SOURCE', ...(isWide ? ['MADE BY'] : [])];
  return formatTable([header, ...rows], layout);
};

const claimText = ({ namespace, claim, preference }: ClaimLine): string =>
  `${namespace}/${claim}${preference === undefined ? '' : ` (preference ${preference})`}`;

const formatWaiting = (claims: readonly ClaimLine[], layout: DataLayout): string => {
  const rows = claims.map((line) => [
    claimText(line),
    line.data,
    line.work,
    formatAge(layout.now - Date.parse(line.since)),
    line.reason ?? '',
    line.message ?? '',
  ]);
  const header = ['CLAIM', 'DATA', 'WORK', 'SINCE', 'REASON', 'WHY'];
  return formatReasonsTable([header, ...rows], layout);
};

const formatBound = (claims: readonly ClaimLine[], layout: DataLayout): string => {
  const rows = claims.map((line) => [claimText(line), line.data, line.work, line.source ?? '']);
  return formatTable([['CLAIM', 'DATA', 'WORK', 'SOURCE'], ...rows], layout);
};

const formatCopies = (claims: readonly ClaimLine[], layout: DataLayout): string => {
  const rows = claims.map((line) => [
    claimText(line),
    line.copy?.reason ?? '',
    line.copy?.message ?? '',
  ]);
  return formatReasonsTable([['CLAIM', 'COPY', 'WHY'], ...rows], layout);
};

const NO_DATA = 'No data is registered: a DataSource says where data is.\n';

export const formatData = ({ sources, claims }: DataOverview, layout: DataLayout): string => {
  const waitingClaims = claims.filter(({ source }) => source === undefined);
  const boundClaims = claims.filter(({ source }) => source !== undefined);
  const claimsWithCopy = claims.filter(({ copy }) => copy !== undefined);
  return [
    sources.length === 0 ? NO_DATA : formatSources(sources, layout),
    ...(boundClaims.length === 0 ? [] : [formatBound(boundClaims, layout)]),
    ...(waitingClaims.length === 0 ? [] : [formatWaiting(waitingClaims, layout)]),
    ...(claimsWithCopy.length === 0 ? [] : [formatCopies(claimsWithCopy, layout)]),
  ].join('\n');
};
