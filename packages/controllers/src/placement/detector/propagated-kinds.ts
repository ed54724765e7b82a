import type { KubeObject } from '@perigee/api/meta/object-meta';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { ApiResource } from '@perigee/kube/client/discovery';
import type { Clock } from '@perigee/kube/clock/clock';
import { differsBeyondStatus } from '@perigee/kube/controller/beyond-status';
import type { SourceContext } from '@perigee/kube/controller/source';
import { UnknownKindError } from '@perigee/kube/errors';
import type { Informer } from '@perigee/kube/informer/informer';
import type { InformerSet } from '@perigee/kube/informer/informer-set';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { propagatedBy } from '@perigee/scheduling/placement/policy/propagated-by';

const BY_POLICY = 'policy';
const RETRY_MS = 5000;

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** Shared: several sources may need the same kind, and an informer has only one index of a name. */
const byPolicy = ({ metadata }: Template): readonly string[] => {
  const policy = propagatedBy(metadata);
  return policy === undefined ? [] : [policy.id];
};

type Reports = Pick<SourceContext, 'failed' | 'settled'>;

interface Kinded {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Objects that name kinds, such as the selectors of a policy. */
export interface KindNames<T extends KubeObject = KubeObject> {
  readonly in: ResourceKind<T>;
  readonly of: (object: T) => readonly Kinded[];
}

/** The form of a kind and of an API version. Users may write any text instead, of any length. */
const KIND = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;
const API_VERSION = /^([a-z0-9.-]{1,253}\/)?[a-z][a-z0-9-]{0,62}$/;

const isWatchable = ({ verbs }: ApiResource): boolean =>
  verbs.includes('list') && verbs.includes('watch');

const whyMissing = (key: string, resources: readonly ApiResource[]): Error => {
  const [apiVersion = '', kind = ''] = key.split(' ');
  const versions = resources.filter((one) => one.kind === kind).map(apiVersionOf);
  const hint = versions.includes(apiVersion)
    ? 'in a form that can be watched'
    : versions.length > 0
      ? `but in ${[...new Set(versions)].join(', ')}`
      : 'nor elsewhere; install its CustomResourceDefinition';
  return new UnknownKindError(
    `the server does not serve the kind ${kind} in ${apiVersion}, ${hint}`,
  );
};

/**
 * The objects of the kinds that policies name, and of no others. A kind that is not served yet is looked for again as
 * long as it is named: all of them at once, since users may name as many as they like.
 */
export class PropagatedKinds implements Disposable {
  readonly #informers: InformerSet;
  readonly #reports: Reports;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #onTemplate: (template: Template) => void;
  readonly #informersByKind = new Map<string, Informer<Template>>();
  /** The number of times that each kind is named. */
  readonly #uses = new Map<string, number>();
  /** The kinds that are named and have no informer, with the reason that was reported. */
  readonly #missing = new Map<string, string | undefined>();
  #isDiscovering = false;
  #timer: Disposable | undefined;
  readonly #stack = new DisposableStack();

  constructor(
    client: Client,
    clock: Clock,
    { informers, failed, settled }: Pick<SourceContext, 'informers'> & Reports,
    names: readonly KindNames<never>[],
    onTemplate: (template: Template) => void,
  ) {
    this.#informers = informers;
    this.#reports = { failed, settled };
    this.#client = client;
    this.#clock = clock;
    this.#onTemplate = onTemplate;
    this.#stack.defer(() => this.#timer?.[Symbol.dispose]());
    for (const one of names) this.#follow(one as never as KindNames);
  }

  of(apiVersion: string, kind: string): Informer<Template> | undefined {
    return this.#informersByKind.get(keyOf(apiVersion, kind));
  }

  /** Everything that a policy propagates, of all kinds. */
  *ofPolicy(policyId: string): Generator<Template> {
    for (const informer of this.#informersByKind.values()) {
      yield* informer.byIndex(BY_POLICY, policyId);
    }
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }

  #follow({ in: kind, of }: KindNames): void {
    const want = (object: KubeObject): void => {
      for (const one of of(object)) this.#want(one);
    };
    const leave = (object: KubeObject): void => {
      for (const one of of(object)) this.#leave(one);
    };
    const onUpdate = (now: KubeObject, before: KubeObject): void => {
      want(now);
      leave(before);
    };
    const handler = { onAdd: want, onUpdate, onDelete: leave };
    this.#stack.use(this.#informers.for(kind).addHandler(handler));
  }

  #want({ apiVersion, kind }: Kinded): void {
    if (!KIND.test(kind) || !API_VERSION.test(apiVersion)) return;
    const key = keyOf(apiVersion, kind);
    this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
    if (this.#informersByKind.has(key) || this.#missing.has(key)) return;
    this.#missing.set(key, undefined);
    void this.#discover();
  }

  #leave({ apiVersion, kind }: Kinded): void {
    const key = keyOf(apiVersion, kind);
    const uses = this.#uses.get(key) ?? 0;
    if (uses > 1) this.#uses.set(key, uses - 1);
    else {
      this.#uses.delete(key);
      this.#endSearch(key);
    }
  }

  /** Discovers all missing kinds, one round at a time. */
  async #discover(): Promise<void> {
    if (this.#isDiscovering || this.#stack.disposed) return;
    this.#isDiscovering = true;
    // Those who name kinds now are heard first.
    await Promise.resolve();
    const keys = [...this.#missing.keys()];
    let why: (key: string) => unknown;
    let retryMs = RETRY_MS;
    try {
      const resources = await this.#client.discover();
      for (const one of this.#stack.disposed ? [] : resources) {
        const key = keyOf(apiVersionOf(one), one.kind);
        if (this.#missing.has(key) && isWatchable(one)) this.#open(key, one);
      }
      why = (key) => whyMissing(key, resources);
    } catch (error) {
      why = () => error;
      retryMs /= 5;
    }
    this.#isDiscovering = false;
    if (this.#stack.disposed) return;
    for (const key of keys) if (this.#missing.has(key)) this.#report(key, why(key));
    if (this.#missing.size === 0) return;
    if ([...this.#missing.values()].includes(undefined)) void this.#discover();
    else {
      this.#timer ??= this.#clock.timer(retryMs, () => {
        this.#timer = undefined;
        void this.#discover();
      });
    }
  }

  #report(key: string, error: unknown): void {
    const message = String(error);
    if (this.#missing.get(key) === message) return;
    this.#missing.set(key, message);
    this.#reports.failed(key, error);
  }

  #endSearch(key: string): void {
    if (this.#missing.get(key) !== undefined) this.#reports.settled(key);
    this.#missing.delete(key);
  }

  #open(key: string, resource: ApiResource): void {
    const informer = this.#informers.for(resource as ResourceKind<Template>);
    informer.addIndexer(BY_POLICY, byPolicy);
    this.#informersByKind.set(key, informer);
    this.#endSearch(key);
    this.#stack.use(
      informer.addHandler({
        onAdd: this.#onTemplate,
        onUpdate: (now, before) => {
          if (differsBeyondStatus(now, before)) this.#onTemplate(now);
        },
        onDelete: this.#onTemplate,
      }),
    );
  }
}
