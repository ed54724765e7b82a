import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { type Flow, flowsOf } from '@perigee/scheduling/flows/flow-graph';
import { OPERATION_KINDS, type OperationKindName } from '@perigee/scheduling/flows/operation';
import { present } from '@perigee/schema/present';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

/** The flows of a namespace, or of all, with the resource versions to start watches from. */
export const readFlows = async (client: Client, namespace: string | undefined) => {
  const selection = present({ namespace });
  const lists = await Promise.all(OPERATION_KINDS.map((kind) => listAll(client, kind, selection)));
  const versions: ReadonlyMap<ResourceKind, string> = new Map(
    lists.map(({ metadata }, at) => [
      OPERATION_KINDS[at] as ResourceKind,
      metadata.resourceVersion,
    ]),
  );
  return { flows: flowsOf(lists.flatMap(({ items }) => items)), versions };
};

/** A step as users name it: `dataload/warm`, with any alias of the kind. */
export interface NamedStep {
  readonly kind: OperationKindName;
  readonly name: string;
}

const NAMES: ReadonlyMap<string, OperationKindName> = new Map(
  OPERATION_KINDS.flatMap(({ kind, plural }) =>
    [kind.toLowerCase(), plural, `${plural}.data.fluid.io`, kind.toLowerCase().slice(4)].map(
      (name): [string, OperationKindName] => [name, kind as OperationKindName],
    ),
  ),
);

/** Parses an argument that names a step; undefined when it names a flow. */
export const namedStep = (target: string): NamedStep | undefined => {
  const [word = '', name, ...more] = target.split('/');
  if (name === undefined) return undefined;
  const kind = NAMES.get(word.toLowerCase());
  if (kind === undefined || name === '' || more.length > 0) {
    throw new CommandError(
      EXIT.usage,
      `${target} is no step of a flow: write dataload/NAME, datamigrate/NAME, databackup/NAME or dataprocess/NAME`,
    );
  }
  return { kind, name };
};

/** Finds a flow by its name, or by one of its steps. */
export const findFlow = (flows: readonly Flow[], target: string, namespace: string): Flow => {
  const step = namedStep(target);
  const matches = flows.filter((flow) =>
    step === undefined
      ? flow.name === target
      : flow.steps.some(({ key }) => key.kind === step.kind && key.name === step.name),
  );
  const [flow, other] = matches;
  if (flow === undefined) {
    throw new CommandError(
      EXIT.notFound,
      `there is no flow ${target} in the namespace ${namespace}; "perigee flow list" shows those that there are`,
    );
  }
  if (other !== undefined) {
    const steps = matches.map(({ steps: [first] }) => `${first?.key.kind}/${first?.key.name}`);
    throw new CommandError(
      EXIT.usage,
      `there are ${matches.length} flows ${target}: name one of their steps, such as ${steps.join(' or ').toLowerCase()}`,
    );
  }
  return flow;
};
