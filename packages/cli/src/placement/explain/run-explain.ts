import { findCondition } from '@perigee/api/values/conditions';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { carriedPlacement } from '@perigee/scheduling/data/carried-placement';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { explain } from '@perigee/scheduling/placement/scheduler/explain';
import { isRescheduleDue } from '@perigee/scheduling/placement/scheduler/placement-request';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import type { Command } from 'commander';
import { openConnection } from '../../connect.ts';
import { formatStructured } from '../../output/structured.ts';
import { terminalOf } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';
import { formatClusterState, readClusterState } from './cluster-state.ts';
import { explainCluster, formatHome } from './explain-cluster.ts';
import { formatExplanation } from './format-explanation.ts';
import { formatRoomSources } from './format-room-sources.ts';
import { readSourceClusters } from './read-source-clusters.ts';
import { readPlacementState } from './read-state.ts';

export interface ExplainOptions {
  readonly namespace?: string;
  readonly fresh?: boolean;
  readonly output?: string;
}

/** Clusters have no policy that could place them: what is asked for is how they are, and their home. */
const CLUSTER = /^(?:clusters?|gclusters?)(?:\.globalscheduler\.com)?\/(.+)$/;

/** As if nothing had been decided before. */
const forgotten = (binding: Binding): Binding => {
  const { clusters: _, rescheduleTriggeredAt: __, ...spec } = binding.spec;
  const { schedulerObservingAffinityName: ___, ...status } = binding.status ?? {};
  return { ...binding, spec, status } as Binding;
};

/** What keeps the work from being scheduled at all. */
const heldBy = ({ status }: Binding) => {
  const admitted = findCondition(status?.conditions, 'Admitted');
  if (admitted === undefined || admitted.status === 'True') return undefined;
  const { reason, message, lastTransitionTime } = admitted;
  return { reason, message, since: lastTransitionTime };
};

const heldText = (what: string, { reason, message }: NonNullable<ReturnType<typeof heldBy>>) =>
  `${fitProse(`${what} is held, ${reason}: ${message}. This is what would be decided now:`, terminalOf(process.stdout))}\n\n`;

/** The pods that wait for each other in a member, if there are such. */
const gangOf = ({ status }: Binding) => {
  const gang = findCondition(status?.conditions, 'Gang');
  if (gang === undefined || gang.status === 'True') return undefined;
  const { reason, message, lastTransitionTime } = gang;
  return { reason, message, since: lastTransitionTime };
};

const gangText = ({ message }: NonNullable<ReturnType<typeof gangOf>>) =>
  `\n${fitProse(`${message}.`, terminalOf(process.stdout))}\n`;

/** Decides about a workload once more, and says how it came about; or says how a cluster is. */
export const runExplain = async (
  target: string,
  options: ExplainOptions,
  command: Command,
): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client, namespace: usual } = connection;
  const [, cluster] = CLUSTER.exec(target) ?? [];
  if (cluster !== undefined) {
    const [state, home] = await Promise.all([
      readClusterState(client, cluster),
      explainCluster(client, cluster),
    ]);
    const both = { ...state, ...home };
    process.stdout.write(
      (await formatStructured(options.output, both)) ??
        `${formatClusterState(state)}\n${formatHome(home)}`,
    );
    return;
  }
  const state = await readPlacementState(client, target, options.namespace ?? usual, clock.now());
  const { metadata } = state.binding;
  const { spec, status = {} } = options.fresh ? forgotten(state.binding) : state.binding;
  const isFresh = options.fresh === true || isRescheduleDue(spec, status);
  const clustersOf = await readSourceClusters(client, metadata);
  const decision = schedule(spec, status, state.world, carriedPlacement(metadata, clustersOf));
  const explanation = explain(spec, decision, {
    isFresh,
    clusterOf: state.clusterOf,
  });
  const held = heldBy(state.binding);
  const gang = gangOf(state.binding);
  const told = { ...(held && { held }), ...(gang && { gang }), ...explanation };
  const { kind, namespace, name } = spec.resource;
  const what = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  process.stdout.write(
    (await formatStructured(options.output, told)) ??
      (held === undefined ? '' : heldText(what, held)) +
        formatExplanation(what, explanation, options.output === 'wide') +
        formatRoomSources(explanation, state.isRoomHidden) +
        (gang === undefined ? '' : gangText(gang)),
  );
};
