import { startAdmissionServer } from '@perigee/admission/webhook/admission-server';
import {
  type AdmissionTarget,
  webhookConfigurations,
} from '@perigee/admission/webhook/webhook-configurations';
import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ConfigError } from '@perigee/kube/errors';
import { createLogger } from '@perigee/kube/observe/logger';
import type { ResourceAttributes } from '@perigee/kubernetes/authorization/attributes';
import { SubjectAccessReview } from '@perigee/kubernetes/authorization/subject-access-review';
import { parseListen } from '../controllers/parse-listen.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient, type ServerChoice } from '../open-client.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import { ServedBindingData } from './served-binding-data.ts';
import { servedOperations } from './served-operations.ts';
import { ServedQueues } from './served-queues.ts';
import { webhookKeys } from './webhook-keys.ts';

/** Asks the API server by a SubjectAccessReview. */
const askAccess =
  (client: Client) =>
  async (attributes: ResourceAttributes): Promise<boolean> => {
    const {
      user,
      verb,
      apiGroup: group,
      apiVersion: version,
      resource,
      namespace,
      name,
    } = attributes;
    const { name: who, ...rest } = user;
    const resourceAttributes = { verb, group, version, resource, namespace, name };
    const review = { metadata: {}, spec: { ...rest, user: who, resourceAttributes } };
    const { status } = await client.create(SubjectAccessReview, review);
    return status?.allowed === true;
  };

export interface RunWebhookOptions extends ServerChoice {
  readonly listen: string;
  /** The Service by which the API server reaches the webhook, as `namespace/name`. */
  readonly service?: string;
  /** Puts work that names no queue into the default queue. */
  readonly queueAll?: boolean;
  /** The kinds to admit, by plural; all by default. */
  readonly kinds?: string;
}

const NAME = 'perigee';
const FIELD_MANAGER = 'perigee-webhook';
const SECRET = 'perigee-webhook';

const CONFIGURATIONS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(
  (kind): ResourceKind => ({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Cluster',
  }),
);

const chooseKinds = (list: string): readonly Kind[] => {
  const names = list.split(',').map((name) => name.trim());
  const plurals = allKinds.map(({ plural }) => plural);
  const unknown = names.find((name) => !plurals.includes(name));
  if (unknown === undefined) return allKinds.filter(({ plural }) => names.includes(plural));
  const choice = [...new Set(plurals)].toSorted().join(', ');
  throw new CommandError(
    EXIT.usage,
    `--kinds ${list}: there is no "${unknown}"; the kinds are ${choice}`,
  );
};

const register = async (
  client: Client,
  target: AdmissionTarget,
  kinds: readonly Kind[] | undefined,
): Promise<void> => {
  const configurations = webhookConfigurations(target, NAME, kinds);
  for (const [at, kind] of CONFIGURATIONS.entries()) {
    const body = configurations[at] ?? {};
    const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
    await client.patch(kind, { name: NAME }, patch);
  }
};

const serviceOf = (text: string): { readonly namespace: string; readonly name: string } => {
  const [namespace, name, more] = text.split('/');
  if (namespace && name && more === undefined) return { namespace, name };
  throw new ConfigError(`--service ${text}: write namespace/name`);
};

/** Runs the admission webhook in the foreground until the user stops it. */
export const runWebhook = async (options: RunWebhookOptions): Promise<void> => {
  const { host = '127.0.0.1', port } = parseListen(options.listen);
  const kinds = options.kinds === undefined ? undefined : chooseKinds(options.kinds);
  const service = options.service === undefined ? undefined : serviceOf(options.service);
  const stopRequest = untilAskedToStop();
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await openClient(options, logger);
  const names = service === undefined ? [host] : [`${service.name}.${service.namespace}.svc`];
  const secret = { namespace: service?.namespace ?? 'kube-system', name: SECRET };
  const { cert, key, authority } = await webhookKeys(client, secret, names, clock);
  await using data = new ServedBindingData(client, clock);
  await using queues = new ServedQueues({ client, clock, queueAll: options.queueAll === true });
  await using server = await startAdmissionServer({
    clock,
    // Data before queues: both change the same binding, in one response.
    admitBinding: async (binding, old) => queues.hold(await data.carry(binding, old), old),
    queuesAround: (queue) => queues.family(queue),
    operationsBefore: servedOperations(client),
    isAllowed: askAccess(client),
    logger,
    tls: { cert, key },
    host,
    port,
  });
  const caBundle = Buffer.from(authority).toString('base64');
  await register(
    client,
    service === undefined ? { caBundle, url: server.url } : { caBundle, service },
    kinds,
  );
  process.stderr.write(`perigee: the webhook is at work at ${server.url}\n`);
  await stopRequest;
};
