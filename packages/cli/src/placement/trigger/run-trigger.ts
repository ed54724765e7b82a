import {
  ScheduleTrigger,
  type ScheduleTriggerWritten,
} from '@perigee/api/kinds/placement/schedule-trigger';
import type { TriggeredTarget } from '@perigee/api/kinds/placement/schedule-trigger-status';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { JudgedTarget } from '@perigee/scheduling/placement/triggers/next-targets';
import { planSummary } from '@perigee/scheduling/placement/triggers/trigger-status';
import { CommandError, ToldAlready } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatStructured } from '../../output/structured.ts';
import { followTrigger } from './follow-trigger.ts';
import { formatTargets } from './format-targets.ts';
import { readPlan } from './read-plan.ts';

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
    throw new ToldAlready(EXIT.wouldMove, 'something would move');
  }
};

const printEnd = async (trigger: ScheduleTrigger, output: string | undefined) => {
  const { targets = [], conditions = [], phase } = trigger.status ?? {};
  const table = targets.length === 0 ? '' : `${formatTargets(targets, output === 'wide')}\n`;
  const [{ message = '' } = {}] = conditions;
  process.stdout.write((await formatStructured(output, trigger)) ?? `${table}${message}\n`);
  if (phase === 'Failed') throw new ToldAlready(EXIT.failed, 'some resources failed');
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
