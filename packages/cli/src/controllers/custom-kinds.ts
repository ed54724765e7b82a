import { toCrd } from '@perigee/api/kind/crd';
import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { Condition } from '@perigee/api/meta/condition';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { ConfigError } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';

const FIELD_MANAGER = 'perigee';
const LONGEST_MS = 30_000;

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  isConditionTrue(status?.conditions as unknown as readonly Condition[] | undefined, 'Established');

const nameOf = ({ plural, group }: Pick<ResourceKind, 'plural' | 'group'>): string =>
  `${plural}.${group}`;

const isWhole = (list: string): boolean => list.split(',').some((term) => term.trim() === '*');

/**
 * The kinds that a server must serve: all with `*`; only those that the controllers read when these are named one
 * by one, as beside another control plane.
 */
export const neededKinds = (
  list: string,
  controllers: readonly ControllerDefinition[],
): readonly Kind[] => {
  if (isWhole(list)) return allKinds;
  const read = new Set(controllers.flatMap(({ kinds }) => kinds.map(nameOf)));
  return allKinds.filter((kind) => read.has(nameOf(kind)));
};

/** Waits until the server serves the kind of a CRD. */
const untilEstablished = async (
  client: Client,
  { metadata: { name, resourceVersion } }: CustomResourceDefinition,
  clock: Clock,
): Promise<void> => {
  using deadline = deadlineAfter(clock, LONGEST_MS);
  const fieldSelector = `metadata.name=${name}`;
  const options = { fieldSelector, resourceVersion, signal: deadline.signal };
  for await (const event of client.watch(CustomResourceDefinition, options)) {
    if (event.type !== 'BOOKMARK' && isEstablished(event.object)) return;
  }
  throw new ConfigError(`the server does not serve ${name} although it has its definition`);
};

const missingKinds = async (client: Client, kinds: readonly Kind[]): Promise<readonly Kind[]> => {
  const servedNames = new Set(
    (await client.discover()).map((kind) => `${nameOf(kind)}/${kind.version}`),
  );
  return kinds.filter((kind) => !servedNames.has(`${nameOf(kind)}/${kind.version}`));
};

/**
 * Creates or updates CRDs on a server. When controllers are named one by one, beside another control plane,
 * existing CRDs belong to that one and stay as they are.
 */
export const installKinds = async (
  client: Client,
  clock: Clock,
  list: string,
  kinds: readonly Kind[],
): Promise<void> => {
  const brought = isWhole(list) ? kinds : await missingKinds(client, kinds);
  for (const kind of brought) {
    const patch = {
      type: 'apply',
      body: toCrd(kind),
      fieldManager: FIELD_MANAGER,
      force: true,
    } as const;
    const definition = await client.patch(CustomResourceDefinition, { name: nameOf(kind) }, patch);
    if (!isEstablished(definition)) await untilEstablished(client, definition, clock);
  }
};

/** Fails with advice when the server does not serve one of the kinds. */
export const checkKinds = async (client: Client, kinds: readonly Kind[]): Promise<void> => {
  const unservedKinds = await missingKinds(client, kinds);
  const [first] = unservedKinds;
  if (first === undefined) return;
  const others = unservedKinds.length === 1 ? '' : ` and ${unservedKinds.length - 1} more kinds`;
  throw new ConfigError(
    `the server does not know ${nameOf(first)}${others}: start with --install-crds, ` +
      'or let an administrator run "kubectl apply --server-side -f deploy/crds"',
  );
};
