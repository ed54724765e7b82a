import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Informer } from '@perigee/kube/informer/informer';
import { InformerSet } from '@perigee/kube/informer/informer-set';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { runsPods } from '@perigee/scheduling/data/concerned-work';
import { type QueuedWork, queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { holdForQueue } from '@perigee/scheduling/queues/hold-for-queue';
import { queuedWork } from '@perigee/scheduling/queues/named-queue';
import { isOtherTemplate } from '@perigee/scheduling/queues/other-template';
import { MOST_LEVELS, type QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { DEFAULT_QUEUE, parentOf } from '@perigee/scheduling/queues/queue-names';
import type { JsonObject } from '@perigee/schema/json';
import { ServedTemplates } from './served-templates.ts';

const BY_PARENT = 'by-parent';

/** Time for which a failed discovery of queues is cached. */
const RECHECK_MS = 10_000;

interface Heard extends AsyncDisposable {
  readonly queues: Informer<Queue>;
}

export interface ServedQueuesOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Puts work that names no queue into the default queue. */
  readonly queueAll: boolean;
}

/**
 * Holds bindings for their queues, from the state of an API server. Without a default queue no dispatcher runs, so
 * nothing is held.
 */
export class ServedQueues implements AsyncDisposable {
  readonly #options: ServedQueuesOptions;
  readonly #templates: ServedTemplates;
  #heard: Promise<Heard> | undefined;
  #recheckAt = 0;

  constructor(options: ServedQueuesOptions) {
    this.#options = options;
    this.#templates = new ServedTemplates(options.client);
  }

  async hold(object: JsonObject, old: JsonObject | undefined): Promise<JsonObject> {
    const draft = object as never as ResourceBinding;
    const before = old as never as ResourceBinding | undefined;
    const { spec } = draft;
    if (spec?.resource === undefined || spec.placement === undefined || !runsPods(spec)) {
      return object;
    }
    const workBefore = before && queuedWorkOf(before.metadata);
    if (workBefore === undefined && !(await this.#isInUse())) return object;
    const hold = (work: QueuedWork | undefined) =>
      holdForQueue(draft, before, work, this.#options.clock.now());
    const template = isOtherTemplate(draft, before)
      ? await this.#templates.read(spec.resource)
      : undefined;
    if (template === undefined) return hold(workBefore) as never as JsonObject;
    const { client, queueAll } = this.#options;
    const { namespace: name = '' } = spec.resource;
    const space = await getOrUndefined(client, Namespace, { name });
    const namespace = space?.metadata.annotations ?? {};
    const work = queuedWork(template as never as JsonObject, { namespace, queueAll });
    return hold(work) as never as JsonObject;
  }

  /** The relatives of a queue under review. Parents that the cache does not have yet are read. */
  async family(queue: Queue): Promise<QueueFamily> {
    const heard = await this.#listen();
    const fetchedQueues = new Map<string, Queue>();
    const get = (name: string) => heard?.queues.get({ name }) ?? fetchedQueues.get(name);
    let name = parentOf(queue);
    for (let level = 0; name !== undefined && level < MOST_LEVELS; level += 1) {
      const above = get(name) ?? (await getOrUndefined(this.#options.client, Queue, { name }));
      if (above === undefined) break;
      fetchedQueues.set(name, above);
      name = parentOf(above);
    }
    return { get, childrenOf: (parent) => heard?.queues.byIndex(BY_PARENT, parent) ?? [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#heard)?.[Symbol.asyncDispose]();
  }

  async #isInUse(): Promise<boolean> {
    const heard = await this.#listen();
    return heard?.queues.get({ name: DEFAULT_QUEUE }) !== undefined;
  }

  /** Undefined while the server does not serve queues. */
  async #listen(): Promise<Heard | undefined> {
    if (this.#heard === undefined && !(await this.#isServed())) return undefined;
    this.#heard ??= this.#open();
    return this.#heard;
  }

  async #isServed(): Promise<boolean> {
    const now = this.#options.clock.now();
    if (now < this.#recheckAt) return false;
    if (await this.#templates.resourceOf(apiVersionOf(Queue), Queue.kind)) return true;
    this.#recheckAt = now + RECHECK_MS;
    return false;
  }

  async #open(): Promise<Heard> {
    const informers = new InformerSet(this.#options);
    const queues = informers.for(Queue);
    queues.addIndexer(BY_PARENT, (queue) => [parentOf(queue) ?? '']);
    await informers.synced();
    return { queues, [Symbol.asyncDispose]: () => informers.stop() };
  }
}
