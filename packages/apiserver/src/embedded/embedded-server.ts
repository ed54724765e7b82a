import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { Client } from '@perigee/kube/client/client';
import { ConfigError } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger, type Logger } from '@perigee/kube/observe/logger';
import { Metrics } from '@perigee/kube/observe/metrics';
import { AdmissionChain } from '../admission/admission-chain.ts';
import type { AdmissionStep } from '../admission/admission-step.ts';
import { serveWithAccess } from '../authn/serve-with-access.ts';
import { builtinResources } from '../builtin/builtin-resources.ts';
import { createInProcessClient } from '../client/in-process-client.ts';
import { clusterControllers } from '../cluster-controllers/cluster-controllers.ts';
import { crdController, serveStoredCrds } from '../crd-controller/crd-controller.ts';
import { CustomResources } from '../crd-controller/custom-resources.ts';
import { describeApi } from '../http/api-documents.ts';
import { type ApiServerOptions, openApiServer } from '../http/api-server.ts';
import { KIND_STEPS } from '../kinds/admission/kind-steps.ts';
import { serviceAllocation } from '../kinds/services/service-allocation.ts';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';
import type { Pki } from '../pki/pki.ts';
import { ensureDefaultPolicy } from '../rbac/default-policy/ensure-default-policy.ts';
import type { Registry } from '../registry/registry.ts';
import { ResourceCatalog } from '../registry/resource-catalog.ts';
import { openLmdbStore } from '../store/lmdb-store.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import type { ResolveService } from '../webhook/webhook-address.ts';
import { WebhookClient } from '../webhook/webhook-client.ts';
import { ensureDefaultNamespaces } from './default-namespaces.ts';
import { installKinds } from './install-kinds.ts';
import { kindAdmission } from './kind-admission.ts';
import { openServerAccess, type ServerAccessOptions } from './server-access.ts';

export interface EmbeddedServerOptions extends ApiServerOptions, ServerAccessOptions {
  /** Where the objects are kept; it stays open when the server stops. */
  readonly store?: Store;
  /** The folder of a store on disk. Without it and without a store, everything ends with the process. */
  readonly dataFolder?: string;
  readonly logger?: Logger;
  /** False leaves to others what kube-controller-manager does, such as to collect garbage. */
  readonly clusterControllers?: boolean;
  /** How long an event is kept after it was last written; an hour unless given. */
  readonly eventTtlMs?: number;
  /** What the server does to objects before they are stored; later stages add theirs here. */
  readonly admissionSteps?: readonly AdmissionStep[];
  /** The block of addresses for services; `10.96.0.0/12` unless given. */
  readonly serviceRange?: string;
  /** Where webhooks that are services of the cluster are reached; they fail unless given. */
  readonly resolveService?: ResolveService;
}

/** A whole API server in this process, until it is disposed. */
export interface EmbeddedServer extends AsyncDisposable {
  readonly url: string;
  /** Calls the server directly, without a connection. */
  readonly client: Client;
  readonly registry: Registry;
  /** The keys and certificates of a server with the access `rbac`. */
  readonly pki?: Pki;
}

const FIELD_MANAGER = 'perigee';
const VERSION = 'v1.36.0+perigee';

const FLUSHES = {
  name: 'apiserver_store_flush_duration_seconds',
  help: 'How long writes of the store to its disk took.',
};

const openStore = (
  { store, dataFolder, clock }: EmbeddedServerOptions,
  metrics: Metrics,
  stack: AsyncDisposableStack,
) => {
  if (store !== undefined && dataFolder !== undefined) {
    throw new ConfigError('a server has one store: give it a store or a dataFolder, not both');
  }
  if (store !== undefined) return store;
  if (dataFolder === undefined) return stack.use(createMemoryStore());
  const seconds = metrics.histogram(FLUSHES).with();
  const tell = (taken: number) => seconds.observe(taken);
  return stack.use(openLmdbStore({ path: dataFolder, flushes: { clock, tell } }));
};

/**
 * Starts an API server with the built-in kinds, the kinds of the language, and what was installed in it
 * before. It serves all of that when the promise resolves.
 */
export const startEmbeddedServer = async (
  options: EmbeddedServerOptions,
): Promise<EmbeddedServer> => {
  const {
    clock,
    authorize,
    resolveService,
    eventTtlMs,
    logger = createLogger({ clock, level: 'warn' }),
  } = options;
  await using stack = new AsyncDisposableStack();
  const { metrics = new Metrics() } = options;
  await using early = new AsyncDisposableStack();
  // The store locks the folder in which the keys are.
  const store = openStore(options, metrics, stack);
  const access = openServerAccess(options);
  const tls = access === undefined ? {} : { tls: access.tls };
  const server = early.use(await openApiServer({ ...options, ...tls, metrics }));
  const resources = new ResourceCatalog(builtinResources());
  const place = { store, clock, cluster: ROOT_CLUSTER };
  const root = { ...place, resources, allocate: serviceAllocation(place, options.serviceRange) };
  const rootAccess = access?.to(root);
  const base: Registry = rootAccess ? { ...root, access: rootAccess.reviews } : root;
  const webhooks = stack.use(
    new WebhookClient({ clock, ...(resolveService ? { resolveService } : {}) }),
  );
  const admission = new AdmissionChain({ webhooks, steps: [...KIND_STEPS, ...(options.admissionSteps ?? [])] });
  const registry: Registry = { ...base, admission };
  const inProcess = { fieldManager: FIELD_MANAGER, version: VERSION };
  const client = createInProcessClient(registry, inProcess);
  const customResources = new CustomResources(resources, {
    adapt: kindAdmission(clock),
    conversions: { clock, webhooks },
  });
  const world = { registry, client, customResources };
  serveStoredCrds(world);
  // A webhook that is not there must not keep the server from starting.
  const starter = createInProcessClient(base, inProcess);
  await ensureDefaultNamespaces(starter);
  if (access !== undefined) await ensureDefaultPolicy(starter);
  await installKinds({ ...world, registry: base, client: starter }, allKinds, FIELD_MANAGER);
  const authority = access?.pki.authority ?? options.tls?.ca;
  const replaced = [
    ...clusterControllers({
      registry,
      logger,
      ...(authority === undefined ? {} : { authority }),
      ...(eventTtlMs === undefined ? {} : { eventTtlMs }),
    }),
    ...(rootAccess?.controllers ?? []),
  ];
  const controllers = [
    crdController(world),
    ...(options.clusterControllers === false ? [] : replaced),
  ];
  const manager = new Manager({ client, clock, logger, controllers });
  stack.use(manager);
  await manager.start();
  // It listened first, to tell that it is not ready, and yet has to be the first to stop.
  stack.use(server);
  early.move();
  const documents = describeApi(resources, { serverAddress: server.address, version: VERSION });
  const api = { registry, documents, logger, ...(authorize ? { authorize } : {}) };
  server.serve(rootAccess === undefined ? api : serveWithAccess(api, rootAccess, server.url));
  const running = stack.move();
  return {
    url: server.url,
    client,
    registry,
    ...(access === undefined ? {} : { pki: access.pki }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
