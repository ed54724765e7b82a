import type { KubeObject } from '@perigee/api/meta/object-meta';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import { present } from '@perigee/schema/present';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { Informer } from './informer.ts';
import type { InformerMetrics } from './informer-metrics.ts';
import type { Preparation } from './prepare-object.ts';
import type { ServerTraits } from './reflector.ts';
import type { Selection } from './selection.ts';

export interface InformerSetOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Makes what each informer reports to. */
  readonly metrics?: (kind: ResourceKind, selection: Selection) => InformerMetrics;
}

export interface SharedInformerOptions<T> extends Selection, Preparation<T> {}

type LivingInformer = Pick<Informer<KubeObject>, 'synced' | 'stop'>;

const sharingKey = <T>(
  kind: ResourceKind,
  {
    namespace,
    labelSelector,
    fieldSelector,
    metadataOnly = false,
    keepManagedFields = false,
  }: SharedInformerOptions<T>,
): string =>
  JSON.stringify([
    apiVersionOf(kind),
    kind.plural,
    namespace,
    labelSelector,
    fieldSelector,
    metadataOnly,
    keepManagedFields,
  ]);

/** The informers of one server: one for each kind, selection and transform, however many ask for it. */
export class InformerSet implements AsyncDisposable {
  readonly #options: InformerSetOptions;
  readonly #server: ServerTraits = { initialEvents: true };
  /** By sharing key, and below that by transform. */
  readonly #informers = new Map<string, Map<unknown, LivingInformer>>();
  #stopped = false;

  constructor(options: InformerSetOptions) {
    this.#options = options;
  }

  /** The informer that everyone who asks for the same shares. It starts when it is first asked for. */
  for<T extends KubeObject>(
    kind: ResourceKind<T>,
    options: SharedInformerOptions<T> = {},
  ): Informer<T> {
    if (this.#stopped) throw new Error(`no informer of ${kind.plural}: the set has been stopped`);
    const key = sharingKey(kind, options);
    const byTransform = this.#informers.get(key) ?? new Map<unknown, LivingInformer>();
    this.#informers.set(key, byTransform);
    const shared = byTransform.get(options.transform) ?? this.#start(kind, options);
    byTransform.set(options.transform, shared);
    // The key holds the kind, so what was found is an informer of that kind's objects.
    return shared as Informer<T>;
  }

  /** Resolves when all informers that were asked for so far have synced. */
  async synced(): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.synced));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#all().map((informer) => informer.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #start<T extends KubeObject>(
    kind: ResourceKind<T>,
    {
      namespace,
      labelSelector,
      fieldSelector,
      metadataOnly,
      ...prepared
    }: SharedInformerOptions<T>,
  ): Informer<T> {
    const { client, clock, metrics } = this.#options;
    const selection: Selection = present({
      namespace,
      labelSelector,
      fieldSelector,
      metadataOnly: metadataOnly || undefined,
    });
    const informer = new Informer<T>({
      client,
      clock,
      kind,
      selection,
      server: this.#server,
      ...prepared,
      ...present({ metrics: metrics?.(kind, selection) }),
    });
    informer.start();
    return informer;
  }

  #all(): readonly LivingInformer[] {
    return [...this.#informers.values()].flatMap((byTransform) => [...byTransform.values()]);
  }
}
