import type { JsonObject } from '@perigee/api/json';
import { UnadmittedError } from '../errors.ts';
import type { CommitRequest } from '../registry/commit.ts';
import { metaOf } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { forbidden } from '../status/object-refusals.ts';
import type { WebhookClient } from '../webhook/webhook-client.ts';
import type { AdmissionStep, Draft } from './admission-step.ts';
import { type Attributes, isExempt } from './attributes.ts';
import { ConfigurationIndex, type Configurations } from './configurations.ts';
import { policyMutator } from './policies/policy-mutator.ts';
import { runPolicies } from './policies/run-policies.ts';
import { runMutators } from './run-mutators.ts';
import { runValidating } from './webhooks/run-validating.ts';
import { webhookMutator } from './webhooks/webhook-mutator.ts';

export interface AdmissionChainOptions {
  readonly webhooks: WebhookClient;
  /** What the server does itself, in this order, before any webhook. */
  readonly steps?: readonly AdmissionStep[];
  /** Why an object may not be deleted; anything may be unless given. */
  readonly deletionProblem?: (object: JsonObject) => string | undefined;
}

/** What webhooks made of an object, and of which state it was to be the next. */
export interface Answer {
  readonly object: JsonObject;
  readonly on: number | undefined;
}

/** What becomes of a pass over a decision: webhooks are asked, or have answered. */
export type Pass = 'ask' | Answer;

/**
 * What every write of one API has to go through: the steps of the server, the policies and webhooks that
 * may change objects, and, once the object is complete and valid, policies and the webhooks that may refuse it.
 */
export class AdmissionChain {
  readonly #options: AdmissionChainOptions;
  readonly #index = new ConfigurationIndex();
  #pass: Pass | undefined;

  constructor(options: AdmissionChainOptions) {
    this.#options = options;
  }

  /** What users configured that may be about a resource; undefined when a write need not wait for any. */
  configurationsFor(registry: Registry, resource: ServedResource): Configurations | undefined {
    return isExempt(resource) ? undefined : this.#index.read(registry);
  }

  /** Runs a decision, which cannot wait, in a pass. */
  during<T>(pass: Pass, work: () => T): T {
    this.#pass = pass;
    try {
      return work();
    } finally {
      this.#pass = undefined;
    }
  }

  /**
   * The object as admission makes it, in the midst of a decision. Throws an `UnadmittedError` when
   * webhooks have to be asked first.
   */
  mutate(registry: Registry, draft: Draft): JsonObject {
    const { steps = [] } = this.#options;
    let { object } = draft;
    for (const step of steps) {
      object = step(registry, object === draft.object ? draft : { ...draft, object });
    }
    const pass = this.#pass;
    if (pass === undefined) return object;
    if (pass !== 'ask') return pass.object;
    throw new UnadmittedError({ ...draft, object });
  }

  /** Throws an `ApiError` when the server itself keeps an object from being deleted. */
  admitDeletion(resource: ServedResource, object: JsonObject): void {
    const why = this.#options.deletionProblem?.(object);
    if (why !== undefined) throw forbidden(resource, metaOf(object).name ?? '', why);
  }

  /** The object as webhooks make it; undefined when there is none, as in a deletion. */
  async askToMutate(
    registry: Registry,
    { mutations, mutating }: Configurations,
    attributes: Attributes,
    request: CommitRequest,
  ): Promise<JsonObject | undefined> {
    const world = this.#world(registry, request);
    const mutators = [
      ...mutations.map((bound) => policyMutator(registry, bound)),
      ...mutating.map((webhook) => webhookMutator(world, webhook)),
    ];
    return runMutators(mutators, attributes);
  }

  /** Throws an `ApiError` when a policy or a webhook refuses. */
  async validate(
    registry: Registry,
    { validating, policies }: Configurations,
    attributes: Attributes,
    request: CommitRequest,
  ): Promise<void> {
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
