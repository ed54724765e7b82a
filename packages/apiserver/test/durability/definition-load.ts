import type { JsonObject } from '@perigee/schema/json';
import { call } from './api-calls.ts';
import { change, type Load, type Place, untilKilled } from './crash-load.ts';
import type { Stored } from './ledger.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const definitionOf = (plural: string, kind: string): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.crash.example.com` },
  spec: {
    group: 'crash.example.com',
    scope: 'Namespaced',
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
});

/** Resolves when the kind can be used. */
export const untilEstablished = async (url: string, name: string): Promise<void> => {
  for (;;) {
    const { body } = await call(url, 'GET', `${DEFINITIONS}/${name}`);
    const { conditions } = (body.status ?? {}) as { readonly conditions?: JsonObject[] | null };
    if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return;
  }
};

/** Resolves when nothing is left of a definition whose end was asked for. */
export const untilGone = async (url: string, name: string): Promise<void> => {
  while ((await call(url, 'GET', `${DEFINITIONS}/${name}`)).code !== 404);
};

/** A definition that comes and goes during the load. */
interface Passing {
  readonly name: string;
  readonly place: Place;
}

/** The definitions that clients make, use and delete. */
export class Definitions {
  readonly established: Passing[] = [];
  readonly doomed: Passing[] = [];
  #made = 0;

  /** Makes definitions and objects of them, and deletes the oldest when there are a few. */
  run(load: Load): Promise<void> {
    return untilKilled(async () => {
      while (!load.isOver()) {
        await this.#make(load);
        if (this.established.length > 2) await this.#remove(load);
      }
    });
  }

  async #make(load: Load): Promise<void> {
    const { url, ledger, onAnswer } = load;
    this.#made += 1;
    const plural = `passing${this.#made}s`;
    const kind = `Passing${this.#made}`;
    const body = definitionOf(plural, kind);
    const { name } = body.metadata as { readonly name: string };
    const settle = ledger.intend(`${DEFINITIONS}/${name}`, { write: '' });
    const answer = await call(url, 'POST', DEFINITIONS, body);
    settle();
    if (answer.code !== 201) throw new Error(`${name} was answered with ${answer.code}`);
    ledger.acknowledge(`${DEFINITIONS}/${name}`, answer.body as Stored);
    onAnswer();
    await untilEstablished(url, name);
    const collection = `/apis/crash.example.com/v1/namespaces/crash/${plural}`;
    const place = { collection, apiVersion: 'crash.example.com/v1', kind };
    this.established.push({ name, place });
    for (const object of ['a', 'b', 'c']) await change(load, place, object, 'POST');
  }

  async #remove({ url, onAnswer }: Load): Promise<void> {
    const oldest = this.established.shift();
    if (oldest === undefined) return;
    this.doomed.push(oldest);
    const { code } = await call(url, 'DELETE', `${DEFINITIONS}/${oldest.name}`);
    if (code !== 200) throw new Error(`the end of ${oldest.name} was answered with ${code}`);
    onAnswer();
  }
}
