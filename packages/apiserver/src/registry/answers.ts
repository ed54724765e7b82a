import type { JsonObject } from '@perigee/schema/json';
import { DeferredError } from '../errors.ts';
import type { Reviewers } from './admission.ts';
import type { Draft } from './draft.ts';
import { metaOf } from './metadata.ts';
import type { Registry } from './registry.ts';

/** Limit of rounds: a write with more competes with others that are always faster. */
const MOST_ROUNDS = 200;

/** The write of the present decision; decisions are synchronous, so there is never a second one. */
let current: Answers | undefined;

/**
 * Responses of webhooks to one write so far: conversions and mutations. A decision runs synchronously, on one state
 * of the object; the first call without a response ends it with a `DeferredError`, and it runs again with the
 * response.
 */
export class Answers {
  readonly #reviewers: Reviewers | undefined;
  readonly #objects = new Map<string, JsonObject>();

  constructor(reviewers: Reviewers | undefined) {
    this.#reviewers = reviewers;
  }

  /** Runs the work until it has a result, again after each call; undefined after too many rounds. */
  async settle<T>(work: () => T | undefined | Promise<T | undefined>): Promise<T | undefined> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      try {
        const result = await work();
        if (result !== undefined) return result;
      } catch (error) {
        if (!(error instanceof DeferredError)) throw error;
        await error.settle();
      }
    }
    return undefined;
  }

  /** Runs a decision with the responses so far. */
  during<T>(decide: () => T): T {
    current = this;
    try {
      return decide();
    } finally {
      current = undefined;
    }
  }

  get(question: string, ask: () => Promise<JsonObject>): JsonObject {
    const object = this.#objects.get(question);
    if (object !== undefined) return object;
    throw new DeferredError(async () => {
      this.#objects.set(question, await ask());
    });
  }

  mutated(draft: Draft): JsonObject {
    const reviewers = this.#reviewers;
    if (reviewers === undefined) return draft.object;
    const { resourceVersion = '' } = draft.old === undefined ? {} : metaOf(draft.old);
    return this.get(`mutation of ${resourceVersion}`, () => reviewers.mutate(draft));
  }
}

/** The object after the steps of the server, and as webhooks change it in the midst of a write. */
export const admittedObject = (registry: Registry, draft: Draft): JsonObject => {
  const object = registry.admission?.prepare(registry, draft) ?? draft.object;
  return current === undefined ? object : current.mutated({ ...draft, object });
};

/** An object in another version; undefined outside of a write, which cannot wait for a webhook. */
export const convertedByWebhook = (
  object: JsonObject,
  apiVersion: string,
  convert: () => Promise<JsonObject>,
): JsonObject | undefined => current?.get(`${apiVersion} ${JSON.stringify(object)}`, convert);
