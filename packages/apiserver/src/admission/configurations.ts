import { RevisionError } from '../errors.ts';
import type { Registry } from '../registry/registry.ts';
import type { Entry } from '../store/store.ts';
import { ADMISSION_GROUP } from './attributes.ts';
import { compileMutatingPolicy } from './policies/mutating-policy.ts';
import { compilePolicy } from './policies/policy.ts';
import { readBinding } from './policies/policy-binding.ts';
import type { BoundMutation } from './policies/policy-mutator.ts';
import type { BoundPolicy } from './policies/run-policies.ts';
import { type Webhook, webhooksOf } from './webhooks/webhook.ts';

/** The compiled configurations of users, in the order of their calls. */
export interface Configurations {
  readonly mutations: readonly BoundMutation[];
  readonly mutating: readonly Webhook[];
  readonly validating: readonly Webhook[];
  readonly policies: readonly BoundPolicy[];
}

const NOTHING: Configurations = { mutations: [], mutating: [], validating: [], policies: [] };

/** In the order of their compilation. */
const PLURALS = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
];

type Entries = readonly Entry[];

/** Compiles each entry once, and caches the result. */
const compileOnce = <T>(compile: (entry: Entry) => T): ((entry: Entry) => T) => {
  const cache = new WeakMap<Entry, T & object>();
  return (entry) => {
    const cachedValue = cache.get(entry);
    if (cachedValue !== undefined) return cachedValue;
    const value = compile(entry) as T & object;
    cache.set(entry, value);
    return value;
  };
};

/**
 * Index of the admission configurations of one API. A read takes in the changes since the last one from the store's
 * history, so a configuration applies to every write after its own.
 */
export class ConfigurationIndex {
  readonly #webhooks = compileOnce(({ object }) => webhooksOf(object));
  readonly #policy = compileOnce(({ object }) => compilePolicy(object));
  readonly #mutatingPolicy = compileOnce(({ object }) => compileMutatingPolicy(object));
  readonly #binding = compileOnce(({ object }) => readBinding(object));
  #tables: readonly string[] | undefined;
  #current = NOTHING;
  #revision: number | undefined;

  /** The present configurations; undefined if there are none, which is cheap to detect. */
  read({ store, cluster }: Pick<Registry, 'store' | 'cluster'>): Configurations | undefined {
    this.#tables ??= PLURALS.map((plural) => `${cluster}/${ADMISSION_GROUP}/${plural}`);
    const tables = this.#tables;
    if (tables.every((table) => store.count(table) === 0)) return undefined;
    const { revision } = store;
    if (revision !== this.#revision) {
      if (this.#hasChanged(store, tables)) {
        this.#current = this.#rebuild(tables.map((table) => store.range(table).entries));
      }
      this.#revision = revision;
    }
    return this.#current;
  }

  #hasChanged(store: Registry['store'], tables: readonly string[]): boolean {
    const since = this.#revision;
    if (since === undefined) return true;
    try {
      return tables.some((table) => store.changes(table, since).length > 0);
    } catch (error) {
      if (error instanceof RevisionError) return true;
      throw error;
    }
  }

  #rebuild([
    mutating = [],
    validating = [],
    policies = [],
    bound = [],
    mutatingPolicies = [],
    mutatingBound = [],
  ]: readonly Entries[]): Configurations {
    const byPolicy = Map.groupBy(bound.map(this.#binding), ({ policyName }) => policyName);
    const byMutation = Map.groupBy(
      mutatingBound.map(this.#binding),
      ({ policyName }) => policyName,
    );
    return {
      mutations: mutatingPolicies
        .map(this.#mutatingPolicy)
        .flatMap((policy) =>
          (byMutation.get(policy.name) ?? []).map((binding) => ({ policy, binding })),
        ),
      mutating: mutating.flatMap(this.#webhooks),
      validating: validating.flatMap(this.#webhooks),
      policies: policies
        .map(this.#policy)
        .map((policy) => ({ policy, bindings: byPolicy.get(policy.name) ?? [] }))
        .filter(({ bindings: own }) => own.length > 0),
    };
  }
}
