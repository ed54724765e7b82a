import type { Binding } from '../placement/binding/binding.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Finding } from './finding.ts';

/** The overall state of work. */
export type WorkState =
  /** All of it runs. */
  | 'running'
  /** It is being delivered, without problems so far. */
  | 'starting'
  /** It runs in part, or with problems. */
  | 'degraded'
  /** None of it runs. */
  | 'held'
  | 'finished'
  | 'failed'
  /** It has no replicas. */
  | 'idle';

const sum = (views: readonly ClusterView[], field: 'wanted' | 'ready'): number =>
  views.reduce((all, view) => all + (view.isLeaving ? 0 : (view[field] ?? 0)), 0);

const isCounted = (views: readonly ClusterView[]): boolean =>
  views.some(({ wanted }) => wanted !== undefined);

const runs = (view: ClusterView): boolean =>
  view.isReachable !== false &&
  (view.wanted === undefined ? view.health === 'Healthy' : (view.ready ?? 0) > 0);

export const stateOf = (
  views: readonly ClusterView[],
  findings: readonly Finding[],
  isPlaced: boolean,
): WorkState => {
  const has = (reason: string) => findings.some((one) => one.reason === reason);
  if (has('WorkFailed')) return 'failed';
  if (findings.some(({ severity }) => severity === 'holds')) return 'held';
  if (has('ScaledToZero')) return 'idle';
  if (has('NamespaceSent')) return 'running';
  if (!isPlaced) return 'held';
  if (views.length > 0 && views.every(({ health }) => health === 'Finished')) return 'finished';
  const isDegraded = findings.some(({ severity }) => severity === 'degrades');
  if (isDegraded) return views.some(runs) ? 'degraded' : 'held';
  const isWell = views.every(
    (view) =>
      view.isLeaving ||
      view.health === 'Finished' ||
      (view.health === 'Healthy' && (view.ready ?? 0) >= (view.wanted ?? 0)),
  );
  // Work of a kind without ready replicas is well if its clusters report it healthy.
  return isWell || views.every(({ health }) => health === 'Healthy') ? 'running' : 'starting';
};

const MOST_CLUSTERS = 4;

const placesText = (views: readonly ClusterView[]): string => {
  const examples = views
    .slice(0, MOST_CLUSTERS)
    .map(({ cluster, wanted }) => (wanted === undefined ? cluster : `${cluster} (${wanted})`));
  const more = views.length - examples.length;
  return `${examples.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

const readyText = (views: readonly ClusterView[], { kind }: { readonly kind: string }): string => {
  const desiredReplicas = sum(views, 'wanted');
  const word = desiredReplicas === 1 ? 'replica' : 'replicas';
  const verb = kind === 'Job' ? 'running' : 'ready';
  return `${sum(views, 'ready')} of ${desiredReplicas} ${word} ${verb}`;
};

const clustersOf = ({ cluster, details }: Finding): readonly unknown[] =>
  cluster === undefined ? ((details?.clusters ?? []) as readonly unknown[]) : [cluster];

/** The first cause of missing replicas; if none are missing, the first trouble of any sort. */
const degradingText = (views: readonly ClusterView[], findings: readonly Finding[]): string => {
  const short = new Set<unknown>(
    views.filter(({ wanted = 0, ready = 0 }) => ready < wanted).map(({ cluster }) => cluster),
  );
  const causes = findings.filter(({ severity }) => severity === 'degrades');
  const main = causes.find((one) => clustersOf(one).some((cluster) => short.has(cluster)));
  return `${short.size === 0 ? ', but' : ':'} ${(main ?? causes[0])?.message}`;
};

/** The summary: the state, and the first cause of trouble. */
export const summaryOf = (
  state: WorkState,
  views: readonly ClusterView[],
  findings: readonly Finding[],
  binding: Binding | undefined,
): string => {
  const stayingViews = views.filter(({ isLeaving }) => !isLeaving);
  const places = placesText(stayingViews);
  const hasCounts = isCounted(stayingViews) && binding !== undefined;
  const cause = (severity: Finding['severity']) =>
    findings.find((one) => one.severity === severity);
  const first = cause('holds') ?? cause('degrades');
  const sentFinding = findings.find(({ reason }) => reason === 'NamespaceSent');
  if (sentFinding !== undefined) return sentFinding.message;
  switch (state) {
    case 'running':
      return hasCounts
        ? `${readyText(stayingViews, binding.spec.resource)} on ${places}`
        : `in place on ${places}`;
    case 'starting':
      return hasCounts
        ? `starting: ${readyText(stayingViews, binding.spec.resource)} on ${places}`
        : `on its way to ${places}`;
    case 'finished':
      return `finished on ${placesText(stayingViews.map(({ wanted: _, ...view }) => view))}`;
    case 'idle':
      return findings.find(({ reason }) => reason === 'ScaledToZero')?.message ?? '';
    case 'degraded':
      return hasCounts
        ? `${readyText(stayingViews, binding.spec.resource)}${degradingText(stayingViews, findings)}`
        : `in place on ${places}${degradingText(stayingViews, findings)}`;
    case 'failed':
      return findings.find(({ reason }) => reason === 'WorkFailed')?.message ?? '';
    case 'held':
      return first?.message ?? 'it is placed nowhere, and nobody has said why yet';
  }
};
