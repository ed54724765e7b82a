import { ResourceInterpreterCustomization } from '@perigee/api/kinds/placement/resource-interpreter-customization';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { Informer } from '@perigee/kube/informer/informer';
import { customisedKind } from '@perigee/scheduling/interpreter/customised-kind';
import type { Interpreter, KindInterpreter } from '@perigee/scheduling/interpreter/interpreter';

const BY_TARGET = 'target';

const keyOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
  `${apiVersion} ${kind}`;

/**
 * Combines an interpreter with the ResourceInterpreterCustomizations of users. Theirs take precedence, part by part; of
 * several for one kind the first by name applies.
 */
export class CustomisedInterpreter implements Interpreter, AsyncDisposable {
  readonly #base: Interpreter;
  readonly #customizations: Informer<ResourceInterpreterCustomization>;
  readonly #interpreters = new WeakMap<ResourceInterpreterCustomization, KindInterpreter>();

  constructor(base: Interpreter, { client, clock }: { client: Client; clock: Clock }) {
    this.#base = base;
    this.#customizations = new Informer({ client, clock, kind: ResourceInterpreterCustomization });
    this.#customizations.addIndexer(BY_TARGET, ({ spec }) => [keyOf(spec.target)]);
    this.#customizations.start();
  }

  of(apiVersion: string, kind: string): KindInterpreter {
    const base = this.#base.of(apiVersion, kind);
    const customizations = this.#customizations
      .byIndex(BY_TARGET, keyOf({ apiVersion, kind }))
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const [first] = customizations;
    return first === undefined ? base : { ...base, ...this.#interpreterOf(first) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#customizations.stop();
  }

  #interpreterOf(customization: ResourceInterpreterCustomization): KindInterpreter {
    const presentInterpreter = this.#interpreters.get(customization);
    if (presentInterpreter !== undefined) return presentInterpreter;
    const interpreter = customisedKind(customization);
    this.#interpreters.set(customization, interpreter);
    return interpreter;
  }
}
