import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { readDocuments } from '../../clusters/registration/read-documents.ts';
import { openConnection } from '../../connect.ts';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { FIELD_MANAGER, type GivenObject, readGiven } from './read-changes.ts';
import { makePlan } from './run-plan.ts';
import { changedSince } from './state-token.ts';

export interface ApplyOptions {
  readonly filename: readonly string[];
  readonly ifState?: string;
  readonly namespace?: string;
}

/** Maximum number of changed objects named in the error. */
const MOST_NAMED = 8;

const refuse = (changedNames: readonly string[]): never => {
  const firstNames = changedNames.slice(0, MOST_NAMED).join(', ');
  const more =
    changedNames.length > MOST_NAMED ? ` and ${changedNames.length - MOST_NAMED} more` : '';
  throw new CommandError(
    EXIT.conflict,
    `the state is not the one of the plan, and nothing was written. Changed since: ${firstNames}${more}. Plan again`,
  );
};

/** Writes one object, guarded by the resource version that the plan was made for. */
const write = async (
  client: Client,
  { resource, manifest, storedObject }: GivenObject,
  isGuarded: boolean,
): Promise<string> => {
  const title = `${resource.plural}${resource.group === '' ? '' : `.${resource.group}`}`;
  const { status: _, ...body } = manifest;
  const { name, namespace } = storedObject.metadata;
  if (manifest.metadata.name === undefined) {
    const createdObject = await client.create(resource, body as never);
    return `${title}/${createdObject.metadata.name} created`;
  }
  const ref = { name, ...present({ namespace }) };
  const live = await getOrUndefined(client, resource, ref);
  const resourceVersion = live?.metadata.resourceVersion;
  const guarded: JsonObject =
    isGuarded && resourceVersion !== undefined
      ? { ...body, metadata: { ...manifest.metadata, resourceVersion } }
      : body;
  const patch = { type: 'apply', body: guarded, fieldManager: FIELD_MANAGER, force: true } as const;
  const after = await client.patch(resource, ref, patch);
  if (live === undefined) return `${title}/${name} created`;
  const isSame = after.metadata.resourceVersion === resourceVersion;
  return `${title}/${name} ${isSame ? 'unchanged' : 'configured'}`;
};

/** Applies files, if the state is still the one that a plan was made for. */
export const runApply = async (options: ApplyOptions, command: Command): Promise<void> => {
  await using connection = await openConnection(command.optsWithGlobals());
  const { client, namespace: usual } = connection;
  const namespace = options.namespace ?? usual;
  const { ifState, filename } = options;
  let givenObjects: readonly GivenObject[];
  if (ifState === undefined) {
    givenObjects = await readGiven(
      client,
      new RestMapper(client),
      await readDocuments(filename),
      namespace,
    );
  } else {
    const madePlan = await makePlan(client, { filename }, namespace);
    const changedNames = changedSince(
      ifState,
      madePlan.world,
      madePlan.givenObjects,
      madePlan.plan,
    );
    if (changedNames === undefined) {
      throw new CommandError(EXIT.usage, 'that is no state: "perigee plan" prints one');
    }
    if (changedNames.length > 0) refuse(changedNames);
    givenObjects = madePlan.givenObjects;
  }
  for (const one of givenObjects) {
    process.stdout.write(`${await write(client, one, ifState !== undefined)}\n`);
  }
};
