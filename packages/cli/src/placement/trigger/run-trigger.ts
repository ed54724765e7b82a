import {
  ScheduleTrigger,
  type ScheduleTriggerWritten,
} from '@perigee/api/kinds/placement/schedule-trigger';
import type { TriggeredTarget } from '@perigee/api/kinds/placement/schedule-trigger-status';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JudgedTarget } from '@perigee/scheduling/placement/triggers/next-targets';
import { planSummary, summaryOf } from '@perigee/scheduling/placement/triggers/trigger-status';
import { AlreadyReported, CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { notify } from '../../output/notify.ts';
import { formatReasonsTable } from '../../output/reasons-table.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { readPlan } from './read-plan.ts';

const sharesText = (clusters: readonly TargetCluster[] | undefined): string =>
  (clusters ?? [])
    .map(({ name, replicas }) => (replicas === undefined ? name : `${name}:${replicas}`))
    .join(' ');

const HEADER = ['RESOURCE', 'NAMESPACE', 'RESULT', 'BEFORE', 'AFTER', 'MOVED', 'WHY'];

/** A table with the result for each resource. */
const formatTargets = (targets: readonly TriggeredTarget[], isWide: boolean): string => {
  const rows = targets.map((target) => [
    `${target.kind.toLowerCase()}/${target.name}`,
    target.namespace ?? '',
    target.result,
    sharesText(target.before),
    sharesText(target.after),
    target.replicasMoved === undefined ? '' : String(target.replicasMoved),
    target.message ?? target.reason ?? '',
  ]);
  return formatReasonsTable([HEADER, ...rows], { isWide });
};

const POLL_MS = 500;

/** Waits until a trigger has ended, and prints its progress whenever it changes. */
const followTrigger = async (
  client: Client,
  name: string,
  timeoutMs: number,
): Promise<ScheduleTrigger> => {
  const endsAt = realClock.monotonic() + timeoutMs;
  let lastLine = '';
  for (;;) {
    const trigger = await getOrUndefined(client, ScheduleTrigger, { name });
    if (trigger === undefined) {
      throw new CommandError(EXIT.notFound, `trigger ${name} was deleted before it was done`);
    }
    const { counts, finishTime, observedGeneration } = trigger.status ?? {};
    if (finishTime !== undefined && observedGeneration === trigger.metadata.generation) {
      return trigger;
    }
    const summary = counts === undefined ? '' : summaryOf(counts);
    if (summary !== '' && summary !== lastLine) notify(summary);
    lastLine = summary;
    if (realClock.monotonic() >= endsAt) {
      const hint = `it goes on; see "kubectl get scheduletrigger ${name}"`;
      throw new CommandError(EXIT.failed, `trigger ${name} is not done yet: ${hint}`);
    }
    await realClock.sleep(POLL_MS);
  }
};

export interface RunOptions {
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  /** In milliseconds. */
  readonly timeout: number;
  readonly output?: string;
}

const resultOf = ({ resource, verdict }: JudgedTarget): TriggeredTarget => ({
  ...resource,
  ...verdict,
});

/** Refuses names that do not exist before anything moves. */
const refuseUnknown = (plan: readonly JudgedTarget[]): void => {
  const unknown = plan.filter(({ binding, verdict }) => !binding && verdict.result === 'Failed');
  if (unknown.length === 0) return;
  const lines = unknown.map(({ resource: { kind, namespace, name }, verdict }) => {
    const where = namespace === undefined ? name : `${namespace}/${name}`;
    return `${kind} ${where}: ${verdict.message}`;
  });
  throw new CommandError(EXIT.notFound, lines.join('\n'));
};

const printPlan = async (plan: readonly JudgedTarget[], output: string | undefined) => {
  const targets = plan.map(resultOf);
  const structured = await formatStructured(output, { targets });
  const table = targets.length === 0 ? '' : `${formatTargets(targets, output === 'wide')}\n`;
  process.stdout.write(structured ?? `${table}${planSummary(plan)}\n`);
  if (targets.some(({ result }) => result === 'Scheduled')) {
    throw new AlreadyReported(EXIT.wouldMove, 'something would move');
  }
};

const printEnd = async (trigger: ScheduleTrigger, output: string | undefined) => {
  const { targets = [], conditions = [], phase } = trigger.status ?? {};
  const table = targets.length === 0 ? '' : `${formatTargets(targets, output === 'wide')}\n`;
  const [{ message = '' } = {}] = conditions;
  process.stdout.write((await formatStructured(output, trigger)) ?? `${table}${message}\n`);
  if (phase === 'Failed') throw new AlreadyReported(EXIT.failed, 'some resources failed');
};

/** Creates a trigger, or shows its plan. */
export const runTrigger = async (
  client: Client,
  generateName: string,
  spec: ScheduleTriggerWritten['spec'],
  { dryRun = false, wait = false, timeout, output }: RunOptions,
): Promise<void> => {
  const manifest = { metadata: { generateName }, spec };
  // A dry run first: missing rights and invalid specs are reported before anything else.
  const checked = await client.create(ScheduleTrigger, manifest, { dryRun: true });
  const plan = await readPlan(client, checked.spec, realClock.now());
  refuseUnknown(plan);
  if (dryRun) return printPlan(plan, output);
  const trigger = await client.create(ScheduleTrigger, manifest);
  const { name } = trigger.metadata;
  if (wait) return printEnd(await followTrigger(client, name, timeout), output);
  const line = `scheduletrigger.policy.karmada.io/${name} created\n`;
  process.stdout.write((await formatStructured(output, trigger)) ?? line);
};
