import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { plan } from '@perigee/scheduling/plan/plan';
import { isChange, type Plan } from '@perigee/scheduling/plan/planned-work';
import type { Change, World } from '@perigee/scheduling/plan/world';
import type { JsonObject } from '@perigee/schema/json';
import type { Command } from 'commander';
import { readDocuments } from '../../clusters/registration/read-documents.ts';
import { openConnection } from '../../connect.ts';
import { AlreadyReported, CommandError, describeError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { formatPlan } from './format-plan.ts';
import { changeBy, type GivenObject, readGiven } from './read-changes.ts';
import { readTemplates } from './read-templates.ts';
import { readWorld } from './read-world.ts';
import { stateToken } from './state-token.ts';

const FORM = /^([^/=]+)\/([^/=]+)=(\d{1,9})$/;

/** The workload of an argument such as `deployment/web=40` with that number of replicas, by a dry run. */
const scaledObject = async (
  client: Client,
  mapper: RestMapper,
  words: string,
  namespace: string,
): Promise<Template> => {
  const [, kindName, name, count] = FORM.exec(words) ?? [];
  if (kindName === undefined || name === undefined || count === undefined) {
    throw new CommandError(EXIT.failed, `"${words}" should be like deployment/web=40`);
  }
  const resource = await mapper.byName(kindName);
  const ref = resource.scope === 'Namespaced' ? { namespace, name } : { name };
  // Jobs have `parallelism` instead of `replicas`.
  const field = resource.kind === 'Job' ? 'parallelism' : 'replicas';
  const patch = { type: 'merge', body: { spec: { [field]: Number(count) } } } as const;
  const object = await client.patch(resource, ref, patch, { dryRun: true });
  const { spec } = object as { readonly spec?: { readonly [field: string]: unknown } };
  // The server drops a field that the kind does not have.
  if (spec?.[field] !== Number(count)) {
    const kind = resource.kind;
    throw new CommandError(
      EXIT.failed,
      `${kind} ${name} cannot be scaled: it has no spec.${field}`,
    );
  }
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind } as Template;
};

export interface PlanOptions {
  readonly filename?: readonly string[];
  readonly join?: boolean;
  readonly lose?: readonly string[];
  readonly drain?: readonly string[];
  readonly scale?: readonly string[];
  readonly namespace?: string;
  readonly output?: string;
}

/** A plan, with the world and the objects that it was made for. */
export interface MadePlan {
  readonly plan: Plan;
  readonly world: World;
  readonly givenObjects: readonly GivenObject[];
}

const hiddenNote = (hiddenKinds: readonly string[]): readonly string[] =>
  hiddenKinds.length === 0
    ? []
    : [
        `you may not see all of these, so that work may come out otherwise: ${hiddenKinds.join(', ')}`,
      ];

/** Warns of new clusters without known room, which count as full. */
const roomNotes = (changes: readonly Change[], world: World): readonly string[] =>
  changes.flatMap((change) => {
    if (change.kind !== 'put' || change.of !== 'cluster') return [];
    const { metadata, status } = change.object;
    const isNew = world.clusters.every((one) => one.metadata.name !== metadata.name);
    return isNew && status?.resourceSummary === undefined
      ? [
          `nothing is known of the room of ${metadata.name}, so that it counts as full: ` +
            'tell it in the file, as status.resourceSummary.allocatable',
        ]
      : [];
  });

/** Reads the world and simulates the changes, without a write. */
export const makePlan = async (
  client: Client,
  { filename = [], lose = [], drain = [], scale = [] }: PlanOptions,
  namespace: string,
): Promise<MadePlan> => {
  const mapper = new RestMapper(client);
  const documents = filename.length === 0 ? [] : await readDocuments(filename);
  const givenObjects = await readGiven(client, mapper, documents, namespace);
  const scaledTemplates = await Promise.all(
    scale.map((words) => scaledObject(client, mapper, words, namespace)),
  );
  const { world, hiddenKinds } = await readWorld(client, namespace, clock.now());
  const changes: readonly Change[] = [
    ...givenObjects.map((one) => changeBy(one, world)),
    ...scaledTemplates.map((object): Change => ({ kind: 'put', of: 'template', object })),
    ...lose.map((cluster): Change => ({ kind: 'lose', cluster })),
    ...drain.map((cluster): Change => ({ kind: 'drain', cluster })),
  ];
  const templates = await readTemplates(client, mapper, changes, world);
  const whole = { ...world, templates };
  const outcome = plan(whole, changes);
  const notes = [...outcome.notes, ...roomNotes(changes, world), ...hiddenNote(hiddenKinds)];
  const planWithNotes = { ...outcome, notes };
  return { plan: planWithNotes, world: whole, givenObjects };
};

/** The token of the state that a plan was made for. */
const stateOf = ({ world, givenObjects, plan }: MadePlan): string =>
  stateToken(world, givenObjects, plan);

const asObject = (madePlan: MadePlan): JsonObject => {
  const { work, notes } = madePlan.plan;
  return { work, notes, state: stateOf(madePlan) } as never;
};

const stateText = (madePlan: MadePlan): string =>
  madePlan.givenObjects.length === 0
    ? ''
    : `\nState: ${stateOf(madePlan)}\n"perigee apply -f FILE --if-state STATE" does it only if this still holds.\n`;

const printPlan = async (options: PlanOptions, command: Command): Promise<void> => {
  const { join = false, filename = [], lose = [], drain = [], scale = [], output } = options;
  if (filename.length + lose.length + drain.length + scale.length === 0) {
    throw new CommandError(
      EXIT.failed,
      'say what would happen: -f FILE, --lose, --drain or --scale; see "perigee plan --help"',
    );
  }
  if (join && filename.length === 0) {
    throw new CommandError(
      EXIT.failed,
      '--join needs the files that describe the clusters: -f FILE',
    );
  }
  await using connection = await openConnection(command.optsWithGlobals());
  const { client, namespace: usual } = connection;
  const madePlan = await makePlan(client, options, options.namespace ?? usual);
  if (join && !madePlan.givenObjects.some(({ resource }) => resource.kind === 'Cluster')) {
    throw new CommandError(EXIT.failed, '--join is about clusters: the files describe none');
  }
  const isForPrograms = output === 'json' || output === 'yaml';
  const text =
    (isForPrograms ? await formatStructured(output, asObject(madePlan)) : undefined) ??
    `${formatPlan(madePlan.plan, output === 'wide')}${stateText(madePlan)}`;
  process.stdout.write(text);
  if (madePlan.plan.work.some(isChange))
    throw new AlreadyReported(EXIT.wouldMove, 'something would change');
};

/** Prints the plan. Every error ends with exit code 1, so that 2 means that work would move. */
export const runPlan = async (options: PlanOptions, command: Command): Promise<void> => {
  try {
    await printPlan(options, command);
  } catch (error) {
    if (error instanceof AlreadyReported) throw error;
    throw new CommandError(EXIT.failed, describeError(error));
  }
};
