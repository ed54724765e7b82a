import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { isAlreadyExists } from '@perigee/kube/errors';
import { planData } from '@perigee/scheduling/flows/data-plan';
import { dataPlanFacts } from '@perigee/scheduling/flows/data-plan-facts';
import type { Command } from 'commander';
import { checkName } from '../../check-name.ts';
import { openConnection } from '../../connect.ts';
import { AlreadyReported, CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { notify } from '../../output/notify.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { terminalOf } from '../../output/terminal.ts';
import { formatDataPlan } from './format-data-plan.ts';
import { readDataPlan } from './read-data-plan.ts';

export interface DataPlanOptions {
  readonly namespace?: string;
  readonly output?: string;
  readonly by?: 'time' | 'money';
  readonly apply?: boolean;
}

/** Compares the choices to bring data to work, and starts the best one on request. */
export const runDataPlan = async (
  name: string,
  { namespace: namespaceOption, output, by = 'time', apply = false }: DataPlanOptions,
  command: Command,
): Promise<void> => {
  checkName(name, 'a DataSourceClaim');
  await using connection = await openConnection(command.optsWithGlobals());
  const { client } = connection;
  const namespace = namespaceOption ?? connection.namespace;
  const world = await readDataPlan(client, { namespace, name }, clock.now());
  const plan = planData(dataPlanFacts(world, by));
  const [operation] = plan.flow;
  const flow = operation === undefined ? '' : ((await formatStructured('yaml', operation)) ?? '');
  const layout = { terminal: terminalOf(process.stdout), isWide: output === 'wide' };
  process.stdout.write(
    (await formatStructured(output, plan)) ?? formatDataPlan(plan, flow, layout),
  );
  if (plan.best === undefined) throw new AlreadyReported(EXIT.notFound, plan.message ?? '');
  if (!apply) return;
  if (operation === undefined) {
    notify('there is nothing to start: nothing has to be moved');
    return;
  }
  try {
    const { metadata } = await client.create(DataLoad, operation as never);
    notify(`started: perigee flow show dataload/${metadata.name} -n ${namespace} -w`);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const loadName = (operation.metadata as { name: string }).name;
    throw new CommandError(
      EXIT.conflict,
      `there is a DataLoad ${loadName} already: see "perigee flow show dataload/${loadName} -n ${namespace}"; delete it, or try it again with "perigee flow retry"`,
    );
  }
};
