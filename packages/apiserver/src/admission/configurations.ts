import { RevisionError } from '../errors.ts';
import type { Registry } from '../registry/registry.ts';
import type { Entry } from '../store/store.ts';
import { ADMISSION_GROUP } from './attributes.ts';
import { compilePolicy } from './policies/policy.ts';
import { readBinding } from './policies/policy-binding.ts';
import type { BoundPolicy } from './policies/run-policies.ts';
import { type Webhook, webhooksOf } from './webhooks/webhook.ts';

/** What users have configured, compiled, in the order in which it is asked. */
export interface Configurations {
  readonly mutating: readonly Webhook[];
  readonly validating: readonly Webhook[];
  readonly policies: readonly BoundPolicy[];
}

const NOTHING: Configurations = { mutating: [], validating: [], policies: [] };

const PLURALS = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
] as const;

type Plural = (typeof PLURALS)[number];

/** Compiles what is stored once, however often it is looked at. */
const remembered = <T>(compile: (entry: Entry) => T): ((entry: Entry) => T) => {
  const known = new WeakMap<Entry, T & object>();
  return (entry) => {
    const found = known.get(entry);
    if (found !== undefined) return found;
    const made = compile(entry) as T & object;
    known.set(entry, made);
    return made;
  };
};

/**
 * The admission configurations of one API. Before it tells them, it takes in what changed since it was
 * last asked, straight from the store's history: a configuration holds for every write after its own.
 */
export class ConfigurationIndex {
  readonly #webhooks = remembered(({ object }) => webhooksOf(object));
  readonly #policy = remembered(({ object }) => compilePolicy(object));
  readonly #binding = remembered(({ object }) => readBinding(object));
  #current = NOTHING;
  #revision: number | undefined;

  /** What holds now; undefined when nothing is configured, which costs next to nothing to find out. */
  read({ store, cluster }: Pick<Registry, 'store' | 'cluster'>): Configurations | undefined {
    const tableOf = (plural: Plural): string => `${cluster}/${ADMISSION_GROUP}/${plural}`;
    if (PLURALS.every((plural) => store.count(tableOf(plural)) === 0)) return undefined;
    const { revision } = store;
    if (revision !== this.#revision) {
      if (this.#hasChanged(store, tableOf)) {
        this.#current = this.#rebuild((plural) => store.range(tableOf(plural)).entries);
      }
      this.#revision = revision;
    }
    return this.#current;
  }

  #hasChanged(store: Registry['store'], tableOf: (plural: Plural) => string): boolean {
    const since = this.#revision;
    if (since === undefined) return true;
    try {
      return PLURALS.some((plural) => store.changes(tableOf(plural), since).length > 0);
    } catch (error) {
      if (error instanceof RevisionError) return true;
      throw error;
    }
  }

  #rebuild(entriesOf: (plural: Plural) => readonly Entry[]): Configurations {
    const bindings = entriesOf('validatingadmissionpolicybindings').map(this.#binding);
    const byPolicy = Map.groupBy(bindings, ({ policyName }) => policyName);
    return {
      mutating: entriesOf('mutatingwebhookconfigurations').flatMap(this.#webhooks),
      validating: entriesOf('validatingwebhookconfigurations').flatMap(this.#webhooks),
      policies: entriesOf('validatingadmissionpolicies')
        .map(this.#policy)
        .map((policy) => ({ policy, bindings: byPolicy.get(policy.name) ?? [] }))
        .filter(({ bindings: own }) => own.length > 0),
    };
  }
}
