import type { Kind } from '@perigee/api/kind/define-kind';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Troubles } from '@perigee/kube/controller/troubles';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import { Metrics } from '@perigee/kube/observe/metrics';
import type { ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import { present } from '@perigee/schema/present';
import { AdmissionChain } from '../admission/admission-chain.ts';
import { KIND_STEPS } from '../admission/steps/kind-steps.ts';
import { serviceAccountToken } from '../admission/steps/service-account-token.ts';
import type { ClusterAccess } from '../authn/cluster-access.ts';
import { createInProcessClient } from '../client/in-process-client.ts';
import { clusterControllers } from '../cluster-controllers/cluster-controllers.ts';
import { fillNamespaces } from '../cluster-controllers/fill-namespaces.ts';
import { crdController, serveStoredCrds } from '../crd-controller/crd-controller.ts';
import { CustomResources } from '../crd-controller/custom-resources.ts';
import { apiServiceController, keepApiServices } from '../discovery/api-service-controller.ts';
import { ensureApiServices } from '../discovery/ensure-api-services.ts';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import { aggregateAll } from '../rbac/aggregation-controller.ts';
import { ensureDefaultPolicy } from '../rbac/default-policy/ensure-default-policy.ts';
import type { AdmissionStep } from '../registry/draft.ts';
import { PodLogSource } from '../registry/pod-log-source.ts';
import type { Registry } from '../registry/registry.ts';
import { ResourceCatalog } from '../registry/resource-catalog.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { serviceAllocation } from '../service-allocation/service-allocation.ts';
import {
  ensureStartObjects,
  type StartObjectsOptions,
} from '../start-objects/ensure-start-objects.ts';
import type { Store } from '../store/store.ts';
import type { ServiceReference } from '../webhook/webhook-address.ts';
import { WebhookClient } from '../webhook/webhook-client.ts';
import { ClusterStore } from './cluster-store.ts';
import { ClusterTemplate } from './cluster-template.ts';
import { ensureDefaultNamespaces } from './default-namespaces.ts';
import { installKinds } from './install-kinds.ts';
import type { AdmitKinds } from './kind-admission.ts';
import type { ServerAccess } from './server-access.ts';

/** Settings of every cluster of a server. */
export interface ClusterSettings {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The certificates by which clients know the server, in PEM. */
  readonly authority?: string;
  readonly access?: ServerAccess;
  /** False leaves to others what kube-controller-manager does, such as to collect garbage. */
  readonly clusterControllers?: boolean;
  /** Time to live of an event after its last write; an hour by default. */
  readonly eventTtlMs?: number;
  /** Admission steps beside the built-in ones. */
  readonly admissionSteps?: readonly AdmissionStep[];
  /**
   * True if new pods get the tokens of their service accounts, as from the plugin `ServiceAccount` of
   * Kubernetes. Unless given, they do in members, if the server issues tokens. In the control plane, pods
   * are what is to be copied to members, and stay as they were written.
   */
  readonly serviceAccountTokens?: boolean;
  /** The range of service addresses; `10.96.0.0/12` by default. */
  readonly serviceRange?: string;
  /** Resolves the services of a cluster that webhooks are called at; such webhooks fail without it. */
  readonly resolveService?: (
    service: ServiceReference,
    cluster: string,
  ) => Promise<{ readonly host: string; readonly port: number }>;
}

/** Dependencies that all clusters of a server share. */
export interface ClusterWorld extends ClusterSettings {
  readonly store: Store;
  /** The resources that every cluster has. It never changes: each begins with a fork of it. */
  readonly builtins: ResourceCatalog;
  readonly template: ClusterTemplate;
  /** The kinds beside the built-in ones: the control plane has all of them, a member those that it was opened with. */
  readonly kinds: readonly Kind[];
  /** The rules of these kinds. */
  readonly admitKinds: AdmitKinds;
  /** The roles that every cluster with access control has for these kinds. */
  readonly kindRoles: readonly ClusterRoleWritten[];
  /** Metrics of the server, and of the controllers of the control plane. */
  readonly metrics: Metrics;
  /** Metrics of the controllers of all members together. */
  readonly controllerMetrics: Metrics;
  readonly troubles: Troubles;
  readonly fieldManager: string;
  readonly version: string;
  /** Address of the listener, once it is open. */
  readonly listens?: { readonly host: string; readonly port: number };
}

/** A cluster that runs in this process, until it is disposed. Its objects stay. */
export interface RunningCluster extends AsyncDisposable {
  readonly name: string;
  readonly registry: Registry;
  readonly client: Client;
  readonly access: ClusterAccess | undefined;
  /** Installs further kinds, or brings them up to date. */
  install(kinds: readonly Kind[]): Promise<void>;
}

const resolverFor = ({ resolveService }: ClusterWorld, cluster: string) =>
  resolveService === undefined
    ? {}
    : { resolveService: (service: ServiceReference) => resolveService(service, cluster) };

const controllersOf = (
  world: ClusterWorld,
  registry: Registry,
  access: ClusterAccess | undefined,
) => {
  const { logger, authority, eventTtlMs } = world;
  if (world.clusterControllers === false) return [];
  return [
    ...clusterControllers({
      registry,
      logger,
      ...present({ authority, eventTtlMs }),
    }),
    ...(access?.controllers ?? []),
  ];
};

/** Creates what every cluster has, where it is missing. */
const fillCluster = async (
  world: StartObjectsOptions & Pick<ClusterWorld, 'access' | 'kindRoles'>,
  client: Client,
): Promise<void> => {
  const { access, kindRoles } = world;
  await ensureDefaultNamespaces(client);
  await ensureStartObjects(client, world);
  await ensureApiServices(client);
  if (access !== undefined) await ensureDefaultPolicy(client, kindRoles);
};

/** Builds the shared dependencies of the clusters of a server; each cluster has these resources. */
export const clusterWorld = (
  options: Omit<ClusterWorld, 'builtins' | 'template' | 'controllerMetrics'>,
  resources: readonly ServedResource[],
): ClusterWorld => {
  const builtins = new ResourceCatalog(resources);
  const fill = async (client: Client): Promise<void> => {
    await fillCluster(options, client);
    await aggregateAll(client);
    if (options.clusterControllers !== false) await fillNamespaces(client, options.authority);
  };
  return {
    ...options,
    builtins,
    template: new ClusterTemplate({ ...options, builtins, fill }),
    controllerMetrics: new Metrics(),
  };
};

/** Starts a cluster: what is stored is served at once, and what every cluster has is there when it resolves. */
export const startCluster = async (
  world: ClusterWorld,
  name: string,
  kinds: readonly Kind[],
): Promise<RunningCluster> => {
  const { clock, logger, fieldManager, version } = world;
  const isRoot = name === ROOT_CLUSTER;
  const metrics = isRoot ? world.metrics : world.controllerMetrics;
  const troubles = isRoot ? world.troubles : world.troubles.of(name);
  await using stack = new AsyncDisposableStack();
  const store = stack.use(new ClusterStore(world.store, name));
  const resources = world.builtins.fork();
  const place = { store, clock, cluster: name };
  const podLogs = new PodLogSource();
  const bare = {
    ...place,
    resources,
    podLogs,
    allocate: serviceAllocation(place, world.serviceRange),
  };
  const access = world.access?.to(bare);
  const base: Registry = access ? { ...bare, access: access.reviews } : bare;
  const webhooks = stack.use(new WebhookClient({ clock, ...resolverFor(world, name) }));
  const hasTokens = access !== undefined && name !== ROOT_CLUSTER;
  const { serviceAccountTokens = hasTokens, admissionSteps = [] } = world;
  const tokenSteps = serviceAccountTokens ? [serviceAccountToken] : [];
  const steps = [...KIND_STEPS, ...tokenSteps, ...admissionSteps];
  const { adapt, ...protection } = world.admitKinds(base);
  const admission = new AdmissionChain({ webhooks, steps, ...protection });
  const registry: Registry = { ...base, admission };
  const inProcess = { fieldManager, version };
  const client = createInProcessClient(registry, inProcess);
  const customResources = new CustomResources(resources, {
    adapt,
    conversions: { clock, webhooks },
  });
  const crdWorld = { registry, client, customResources };
  serveStoredCrds(crdWorld);
  // A webhook that is not there must not keep the cluster from starting.
  const starter = createInProcessClient(base, inProcess);
  const isNew = store.count(`${name}//namespaces`) === 0;
  await (isNew ? world.template.copyTo(base) : fillCluster(world, starter));
  const install = (newKinds: readonly Kind[]): Promise<void> =>
    installKinds({ ...crdWorld, registry: base, client: starter }, newKinds, fieldManager);
  await install(kinds);
  // After the start, all versions have their APIServices, and no write of them is pending.
  await keepApiServices(starter, new Set(kinds.map(({ group }) => group)));
  const controllers = [
    crdController(crdWorld),
    apiServiceController(starter),
    ...controllersOf(world, registry, access),
  ];
  const manager = stack.use(new Manager({ client, clock, logger, metrics, troubles, controllers }));
  await manager.start();
  const disposables = stack.move();
  return {
    name,
    registry,
    client,
    access,
    install,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
};
