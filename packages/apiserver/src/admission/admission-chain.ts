import type { JsonObject } from '@perigee/schema/json';
import type { Admission, Reviewers, Written } from '../registry/admission.ts';
import { bodyResource } from '../registry/body-resource.ts';
import type { CommitRequest } from '../registry/commit.ts';
import { decodeInput } from '../registry/decode-input.ts';
import type { AdmissionStep, Draft } from '../registry/draft.ts';
import { metaOf, withMeta } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { withReplicas } from '../registry/scale.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { forbidden } from '../status/object-refusals.ts';
import type { WebhookClient } from '../webhook/webhook-client.ts';
import { type Attributes, isExempt } from './attributes.ts';
import { attributesOf } from './attributes-of.ts';
import { ConfigurationIndex, type Configurations } from './configurations.ts';
import { policyMutator } from './policies/policy-mutator.ts';
import { runPolicies } from './policies/run-policies.ts';
import { runMutators } from './run-mutators.ts';
import { runValidating } from './webhooks/run-validating.ts';
import { webhookMutator } from './webhooks/webhook-mutator.ts';

/** A new object as webhooks see it: without the metadata that the server sets after them. */
const withoutServerMetadata = (object: JsonObject): JsonObject => {
  const { uid: _, creationTimestamp: __, generation: ___, ...meta } = metaOf(object);
  const { name: ____, ...unnamed } = meta;
  return withMeta(object, isNameMadeUp(object) ? unnamed : meta);
};

/** True if the server generated the name from `generateName`. */
const isNameMadeUp = (object: JsonObject): boolean => {
  const { name = '', generateName = '' } = metaOf(object);
  return (
    generateName !== '' && name.length === generateName.length + 5 && name.startsWith(generateName)
  );
};

/** Adds the metadata of the server to an object from webhooks. */
const withServerMetadata = (mutatedObject: JsonObject, draft: JsonObject): JsonObject => {
  const { uid, creationTimestamp, generation, name } = metaOf(draft);
  const meta = metaOf(mutatedObject);
  return withMeta(mutatedObject, {
    ...meta,
    name: meta.name || name,
    uid,
    creationTimestamp,
    generation,
  });
};

export interface AdmissionChainOptions {
  readonly webhooks: WebhookClient;
  /** The built-in steps, which run in this order before any webhook. */
  readonly steps?: readonly AdmissionStep[];
  /** Reason why an object may not be deleted; undefined if it may. All deletions are allowed by default. */
  readonly deletionProblem?: (object: JsonObject) => string | undefined;
}

/** One request, with the webhooks and policies that match it. */
interface Review {
  readonly registry: Registry;
  readonly configurations: Configurations;
  readonly request: CommitRequest;
}

/**
 * The admission of all writes of one API: the built-in steps, the mutating policies and webhooks, and, once the
 * object is complete and valid, the validating policies and webhooks.
 */
export class AdmissionChain implements Admission {
  readonly #options: AdmissionChainOptions;
  readonly #index = new ConfigurationIndex();

  constructor(options: AdmissionChainOptions) {
    this.#options = options;
  }

  prepare(registry: Registry, draft: Draft): JsonObject {
    const { steps = [] } = this.#options;
    let { object } = draft;
    for (const step of steps) {
      object = step(registry, object === draft.object ? draft : { ...draft, object });
    }
    return object;
  }

  admitDeletion(resource: ServedResource, object: JsonObject): void {
    const why = this.#options.deletionProblem?.(object);
    if (why !== undefined) throw forbidden(resource, metaOf(object).name ?? '', why);
  }

  reviewersOf(
    registry: Registry,
    resource: ServedResource,
    request: CommitRequest,
  ): Reviewers | undefined {
    if (isExempt(resource)) return undefined;
    const configurations = this.#index.read(registry);
    if (configurations === undefined) return undefined;
    const attributes = (written: Written): Attributes =>
      attributesOf(registry, resource, request, written);
    return {
      mutate: (draft) =>
        this.#mutatedDraft({ registry, configurations, request }, draft, attributes),
      validate: async (write) => {
        const reviewAttributes = attributes(write);
        const review = { registry, configurations, request };
        if (write.operation === 'DELETE') await this.#mutate(review, reviewAttributes);
        await this.#validate(review, reviewAttributes);
      },
    };
  }

  async admitAction(
    registry: Registry,
    resource: ServedResource,
    request: CommitRequest & { readonly body: JsonObject },
  ): Promise<JsonObject> {
    const { body, subresource } = request;
    const configurations = isExempt(resource) ? undefined : this.#index.read(registry);
    if (configurations === undefined) return body;
    const review = { registry, configurations, request };
    const kind = bodyResource(resource, subresource);
    const decodedBody = decodeInput(kind, body, { fieldValidation: 'Ignore' });
    const attributesFor = (object: JsonObject): Attributes => ({
      ...attributesOf(registry, resource, request, { operation: 'CREATE', object }),
      kind,
    });
    const mutatedBody = (await this.#mutate(review, attributesFor(decodedBody))) ?? decodedBody;
    await this.#validate(review, attributesFor(mutatedBody));
    return mutatedBody === decodedBody ? body : mutatedBody;
  }

  /**
   * Runs the mutating webhooks on an object before it is stored. Of an object that is scaled, they may change the
   * scale alone.
   */
  async #mutatedDraft(
    review: Review,
    { resource, object, old }: Draft,
    show: (written: Written) => Attributes,
  ): Promise<JsonObject> {
    const isNew = old === undefined;
    const operation = isNew ? 'CREATE' : 'UPDATE';
    const attributes = show({
      operation,
      object: isNew ? withoutServerMetadata(object) : object,
      old,
    });
    const mutatedObject = await this.#mutate(review, attributes);
    if (mutatedObject === undefined || mutatedObject === attributes.object) return object;
    if (review.request.subresource === 'scale')
      return withReplicas(resource, object, mutatedObject);
    return isNew ? withServerMetadata(mutatedObject, object) : mutatedObject;
  }

  /** Runs the mutating policies and webhooks; undefined if there is no object, as in a deletion. */
  #mutate(
    { registry, configurations, request }: Review,
    attributes: Attributes,
  ): Promise<JsonObject | undefined> {
    const { mutations, mutating } = configurations;
    const world = this.#world(registry, request);
    const mutators = [
      ...mutations.map((mutation) => policyMutator(registry, mutation)),
      ...mutating.map((webhook) => webhookMutator(world, webhook)),
    ];
    return runMutators(mutators, attributes);
  }

  /** Throws an `ApiError` when a policy or a webhook refuses. */
  async #validate(
    { registry, configurations, request }: Review,
    attributes: Attributes,
  ): Promise<void> {
    const { validating, policies } = configurations;
    const world = this.#world(registry, request);
    await runPolicies(world, policies, attributes);
    await runValidating(world, validating, attributes);
  }

  #world(registry: Registry, request: CommitRequest) {
    const warn = registry.caller?.warn ?? request.warn ?? (() => {});
    const audit = (key: string, value: string): void => registry.caller?.annotate?.(key, value);
    return { registry, client: this.#options.webhooks, warn, audit };
  }
}
