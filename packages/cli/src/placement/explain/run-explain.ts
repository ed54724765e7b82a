import type { Client } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadKubeconfig } from '@perigee/kube/kubeconfig/load-kubeconfig';
import { explainWork, type WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import { withRuns } from '@perigee/scheduling/explain/objects/explain-operation';
import { read, type WorkSnapshot } from '@perigee/scheduling/explain/snapshot';
import type { WorkState } from '@perigee/scheduling/explain/summary';
import { runs } from '@perigee/scheduling/suggest/stuck-work';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { Command } from 'commander';
import { type Connection, openConnection } from '../../connect.ts';
import { AlreadyReported } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import type { ServerChoice } from '../../open-client.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { terminalOf } from '../../output/terminal.ts';
import { formatSuggestions } from '../suggest/format-suggestions.ts';
import type { DoableSuggestion } from '../suggest/read-suggestions.ts';
import { formatClusterState, readClusterState } from './cluster-state.ts';
import { explainCluster, formatHome } from './explain-cluster.ts';
import { explainObject } from './explain-object.ts';
import { explainRuns } from './explain-runs.ts';
import { findWork } from './find-work.ts';
import { formatObject } from './format-object.ts';
import { formatWork } from './format-work.ts';
import type { MemberAccess } from './read-members.ts';
import { readSnapshot } from './read-snapshot.ts';

/** Members by the contexts of their names, which `perigee up` writes for its own. */
const accessByContexts = async ({
  kubeconfig,
}: ServerChoice): Promise<MemberAccess & AsyncDisposable> => {
  const choice = present({ kubeconfig });
  const userConfig = await loadKubeconfig({ env: process.env, ...choice }).catch(() => undefined);
  const connections: Connection[] = [];
  return {
    open: async (cluster): Promise<Client | { readonly hidden: string }> => {
      if (!userConfig?.contexts.has(cluster)) {
        return { hidden: `the kubeconfig has no context named ${cluster}` };
      }
      const connection = await openConnection({ ...choice, context: cluster });
      connections.push(connection);
      return connection.client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const connection of connections) await connection[Symbol.asyncDispose]();
    },
  };
};

export interface ExplainOptions {
  readonly namespace?: string;
  readonly fresh?: boolean;
  readonly decision?: boolean;
  readonly output?: string;
}

/** No policy places clusters: their explanation is their state and their home scheduler. */
const CLUSTER = /^(?:clusters?|gclusters?)(?:\.globalscheduler\.com)?\/(.+)$/;

/** The explanation for programs: the hypothesis with its parts side by side. */
const structured = ({ ifDecidedNow, ...parts }: WorkExplanation) => ({
  ...parts,
  ...present({
    ifDecidedNow: ifDecidedNow && {
      ...ifDecidedNow.explanation,
      difference: ifDecidedNow.difference,
    },
  }),
});

/** True if neither template nor binding exists. */
const isMissing = ({ findings, ifDecidedNow }: WorkExplanation): boolean =>
  ifDecidedNow === undefined && findings.some(({ reason }) => reason === 'TemplateMissing');

/** States of placed work for which a change can help. */
const CAN_BE_HELPED: ReadonlySet<WorkState> = new Set(['held', 'degraded', 'idle']);

/** Imports the planner on demand: most explained work is healthy. */
const suggestionsFor = async (
  client: Client,
  mapper: RestMapper,
  snapshot: WorkSnapshot,
  explanation: WorkExplanation,
): Promise<readonly DoableSuggestion[]> => {
  const binding = read(snapshot.binding, undefined);
  const isPlaced = binding === undefined || runs(binding);
  if (isPlaced && !CAN_BE_HELPED.has(explanation.state)) return [];
  const { readSuggestions } = await import('../suggest/read-suggestions.ts');
  return readSuggestions(client, mapper, snapshot, explanation);
};

/** Explains the state of work, its causes and the present decision; or the state of a cluster. */
export const runExplain = async (
  target: string,
  options: ExplainOptions,
  command: Command,
): Promise<void> => {
  const choice = command.optsWithGlobals();
  await using connection = await openConnection(choice);
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
  const now = clock.now();
  const mapper = new RestMapper(client);
  const work = await findWork(client, target, options.namespace ?? usual, mapper);
  await using access = await accessByContexts(choice);
  const terminal = terminalOf(process.stdout);
  const isWide = options.output === 'wide';
  const rule = await explainObject(client, work);
  if (rule !== undefined) {
    const runs = await explainRuns(client, mapper, rule.resource, access, now);
    const object = withRuns(rule, runs);
    const report = { ...object, ...present({ runs: unlessEmpty(runs.map(structured)) }) };
    const layout = { terminal, isWide, now, showsDecision: false, isRoomHidden: false };
    const parts = [formatObject(object, layout), ...runs.map((run) => formatWork(run, layout))];
    process.stdout.write((await formatStructured(options.output, report)) ?? parts.join('\n'));
    return;
  }
  const snapshot = await readSnapshot(client, work, access, now);
  const isFresh = options.fresh === true;
  const explanation = explainWork(snapshot, { isFresh });
  const suggestions = await suggestionsFor(client, mapper, snapshot, explanation);
  const layout = {
    terminal,
    isWide,
    now,
    showsDecision: isFresh || options.decision === true,
    isRoomHidden: snapshot.isRoomHidden,
  };
  process.stdout.write(
    (await formatStructured(options.output, { ...structured(explanation), suggestions })) ??
      `${formatWork(explanation, layout)}${formatSuggestions(suggestions, layout.terminal)}`,
  );
  if ('hidden' in snapshot.template && 'hidden' in snapshot.binding) {
    throw new AlreadyReported(EXIT.refused, explanation.summary);
  }
  if (isMissing(explanation)) throw new AlreadyReported(EXIT.notFound, explanation.summary);
};
